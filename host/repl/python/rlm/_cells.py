"""Which cell a piece of running code belongs to."""

from __future__ import annotations

from contextvars import ContextVar


class Cell:
    """One execute request as its output sees it.

    ``number`` counts from 1 and names the source ``<cell-N>``. ``live`` is true until the cell's ``done`` has been sent;
    only a live cell's writes are batched.
    """

    __slots__ = ("id", "live", "number")

    def __init__(self, ident: str, number: int) -> None:
        self.id = ident
        self.number = number
        self.live = True

    @property
    def filename(self) -> str:
        """The name the cell's source has in tracebacks and in linecache."""
        return f"<cell-{self.number}>"


# Tasks inherit it with their context, threads start with None: that is the whole rule of attribution.
current: ContextVar[Cell | None] = ContextVar("rlm_cell", default=None)
