"""What the runtime adds to a cell's error: the signature that a call missed, and that the same cell has failed before."""

from __future__ import annotations

import re
from types import CodeType, FrameType, TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from rlm._skills import Call

_MAX_REMEMBERED = 1_000  # failed cells
_CALL_SHAPE = re.compile(
    r"(?P<callee>[\w.<>]+)\(\) (?:got an unexpected keyword argument '(?P<keyword>[^']*)'|got multiple values for|got some positional-only"
    r"|missing \d+ required|takes )"
)


class Remedies:
    """Knows the skills and the cells that have failed."""

    def __init__(self, namespace: dict) -> None:
        self._namespace = namespace
        self._failed: dict[int, str] = {}
        self._skills: list[str] | None = None  # None: no ``signatures`` request so far

    def index(self, names: list[str]) -> dict:
        """Import the skills, keep them as what errors are explained by, and return what ``done`` says."""
        from rlm import _skills

        failed = _skills.import_all(names)
        gone = {entry["name"] for entry in failed}
        self._skills = [name for name in dict.fromkeys(names) if name not in gone]
        calls = _skills.calls_of(self._skills)
        return {"calls": len(calls), "failed": failed, "digest": _skills.digest(calls)}

    def lines(self, exc: BaseException, code: str, filename: str) -> list[str]:
        """The lines to append to the error of the cell ``code``, and remember that it has failed."""
        if isinstance(exc, KeyboardInterrupt):
            return []
        lines = []
        if isinstance(exc, TypeError):
            try:
                lines = self._call_shape(exc)
            except Exception:
                pass  # an odd module must not hide the error itself
        before = self._failed.get(hash(code))
        if before is not None:
            return [*lines, f"This very cell has failed before, as {before}: change it before you run it again.\n"]
        if len(self._failed) >= _MAX_REMEMBERED:
            del self._failed[next(iter(self._failed))]
        self._failed[hash(code)] = filename
        return lines

    def _call_shape(self, exc: TypeError) -> list[str]:
        match = _CALL_SHAPE.match(str(exc))
        if match is None or exc.__traceback__ is None:
            return []
        from rlm import _skills

        modules = self._skills if self._skills is not None else _skills.modules_in(self._namespace)
        named = [call for call in _skills.calls_of(modules) if call.plain.__qualname__ == match["callee"]]
        call = _called(named, exc.__traceback__) if named else None
        if call is None:
            return []
        lines = [f"Signature: {call.text()}\n"]
        if match["keyword"] is not None:
            nearest = _nearest(match["keyword"], call)
            if nearest:
                lines.append(f"{match['keyword']} is no parameter of it; the nearest is: {nearest}\n")
        return lines


def _nearest(keyword: str, call: Call) -> str | None:
    from difflib import get_close_matches

    kinds = [p for p in call.signature().parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    found = get_close_matches(keyword, [p.name for p in kinds], 1, 0.5)
    return found[0] if found else None


def _called(named: list[Call], traceback: TracebackType) -> Call | None:
    """Which of the published functions with the right name was called; None when it was another function of that name.

    A call that does not fit has no frame of its own, so the callee is looked up as the innermost frame's source names it.
    """
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    simple = named[0].plain.__name__
    seen = [_look_up(node, frame) for node in _callees(traceback)]
    seen += [scope[simple] for scope in (frame.f_locals, frame.f_globals) if simple in scope]
    is_other = False
    for value in seen:
        code = _code_of(value)
        for call in named:
            if code is not None and code is _code_of(call.function):
                return call
        is_other = is_other or (code is not None and value is not None and getattr(value, "__qualname__", None) == named[0].plain.__qualname__)
    # Called through something else, a partial for one: then the name alone decides, if it is nobody else's.
    return named[0] if len(named) == 1 and not is_other else None


def _code_of(value: object) -> CodeType | None:
    from inspect import unwrap

    return getattr(unwrap(value), "__code__", None) if value is not None else None


def _callees(traceback: TracebackType) -> list[ast.expr]:
    """What is called by the expressions that the frame is at, as source; exact since 3.11, before that by the line."""
    import ast
    import linecache

    frame, line = traceback.tb_frame, traceback.tb_lineno
    source = "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError):
        return []
    if hasattr(frame.f_code, "co_positions"):
        place = list(frame.f_code.co_positions())[traceback.tb_lasti // 2]
        exact = [n.func for n in calls if (n.lineno, n.end_lineno, n.col_offset, n.end_col_offset) == place]
        if exact:
            return exact
    return [node.func for node in calls if node.lineno <= line <= node.end_lineno]


def _look_up(node: ast.expr, frame: FrameType) -> object:
    """The value of a dotted name in ``frame``, without running anything; None when it is not to be had that way."""
    import ast
    from inspect import getattr_static

    if isinstance(node, ast.Name):
        for scope in (frame.f_locals, frame.f_globals, frame.f_builtins):
            if node.id in scope:
                return scope[node.id]
    elif isinstance(node, ast.Attribute):
        base = _look_up(node.value, frame)
        return None if base is None else getattr_static(base, node.attr, None)
    return None
