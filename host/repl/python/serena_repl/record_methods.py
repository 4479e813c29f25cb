"""Methods of results: ``record.method(…)`` is a call of the record's facade."""

from __future__ import annotations

from serena_repl.errors import make_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Gives the method (facade, name) of the present bindings. Set by the bootstrap; None outside a host.
finder: Callable[[str, str], Any] | None = None


class RecordMethod:
    """A method of one record: a call of its facade with the record's data."""

    def __init__(self, record: Any, declaration: dict[str, Any]) -> None:
        self._record = record  # a results.Record
        self._calls = declaration["calls"]
        self.__name__ = declaration["name"]
        self.__qualname__ = f"{record._type}.{declaration['name']}"
        self.__doc__ = declaration.get("doc") or None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._target().on_record(self._record, self.__name__, args, kwargs)

    @property
    def __signature__(self) -> Any:
        from inspect import Signature

        declared = self._target().__signature__
        return Signature(list(declared.parameters.values())[1:], return_annotation=declared.return_annotation)

    def _target(self) -> Any:
        if finder is None:
            raise RuntimeError(f"{self.__qualname__}: there is no host to ask")
        try:
            return finder(self._record._facade, self._calls)
        except AttributeError as exc:
            raise make_error("LookupError", f"{self.__qualname__} cannot be called: {exc}") from None

    def __repr__(self) -> str:
        return f'<method {self.__qualname__}, documented by s.info("{self._record._facade}.{self._record._type}")>'

    def __reduce__(self) -> tuple:
        return RecordMethod, (self._record, {"name": self.__name__, "calls": self._calls, "doc": self.__doc__})
