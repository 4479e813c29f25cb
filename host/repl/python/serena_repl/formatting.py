"""What a model reads of a cell: the text of its last value, and hints for what it cannot compile."""

from __future__ import annotations

from serena_repl.results import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEEPEST = 3  # lists within lists that are still shown element by element


def format_value(value: Any, depth: int = 0) -> str:
    """A str as it is, a result's rendering, the elements of a list one by one, ``str`` of anything else.

    A tuple is taken apart like a list where results stand in it, since their ``repr`` is not made for reading.
    """
    if isinstance(value, str):
        return str(value)
    if type(value) in (list, tuple) and value and _by_elements(value, depth):
        return "\n".join(format_value(element, depth + 1) for element in value)
    return str(value)


def _by_elements(value: list | tuple, depth: int) -> bool:
    """A list within a list, or a tuple, is taken apart only for the results in it: ``[[1, 'a'], [2, 'b']]`` is two lines, not four."""
    if depth == 0 and isinstance(value, list):
        return True
    return depth < _DEEPEST and any(isinstance(element, Record) for element in value)


def return_hint(exc: SyntaxError, code: str) -> str | None:
    """How to write what a ``return`` outside a function was meant to do."""
    if "'return' outside function" not in (exc.msg or ""):
        return None
    what, instead = "a return", "the expression alone"
    lines = code.splitlines()
    if exc.lineno and 1 <= exc.lineno <= len(lines):
        statement = lines[exc.lineno - 1].strip()
        if statement.startswith("return ") and len(statement) <= 200:
            what, instead = f"`{statement}`", f"`{statement[len('return ') :].strip()}` alone"
    return f"hint: {what} needs a function; the value of a cell's last expression is its result: write {instead}, as the last line"
