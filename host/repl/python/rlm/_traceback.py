"""Errors as the protocol shows them: plain ``traceback`` text without the runtime's own frames, bounded in size."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

from rlm import hooks
from rlm._interrupt import call_user, open_to_interrupts

_MAX_FRAMES = 200  # of one exception, half from each end
_MAX_CHARS = 150_000
_HEADER = "Traceback (most recent call last):\n"


def error_event(ident: str | None, exc: BaseException, hint: str | None = None, remedies: Iterable[str] = ()) -> dict:
    """The ``error`` event of an exception.

    May call the exception's own code; raises KeyboardInterrupt when that is interrupted. ``hint`` becomes a last line of text
    and traceback, ``remedies`` further lines of the traceback.
    """
    evalue = _text_of(exc)
    lines = _bounded(_formatted(exc))
    if hint:
        evalue = f"{evalue}\n{hint}"
        lines.append(f"{hint}\n")
    lines += remedies
    return {"event": "error", "id": ident, "ename": type(exc).__name__, "evalue": evalue, "traceback": lines}


def protocol_error_event(text: str) -> dict:
    """The event that answers a line which is no valid request."""
    return {"event": "error", "id": None, "ename": "ProtocolError", "evalue": text, "traceback": [f"ProtocolError: {text}\n"]}


def _text_of(exc: BaseException) -> str:
    try:
        return str.__str__(call_user(str, exc))
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return f"<str() of this {type(exc).__name__} raised {type(problem).__name__}>"


@open_to_interrupts
def _formatted(exc: BaseException) -> list[str]:
    try:
        shown = traceback.TracebackException(type(exc), exc, exc.__traceback__)
        _strip(shown)
        lines = list(shown.format())
    except KeyboardInterrupt:
        raise
    except BaseException as problem:
        return [f"{type(exc).__name__}: <formatting this error raised {type(problem).__name__}>\n"]
    # Without a frame of its own, as a syntax error is, an exception is formatted without the header.
    return lines if lines[0].lstrip(" +").startswith(("Traceback", "Exception Group Traceback")) else [_HEADER, *lines]


@open_to_interrupts
def _strip(shown: traceback.TracebackException) -> None:
    todo, seen = [shown], set()
    while todo:
        part = todo.pop()
        if part is None or id(part) in seen:
            continue
        seen.add(id(part))
        kept = [frame for frame in part.stack if not hooks.is_hidden(frame.filename)]
        if len(kept) > _MAX_FRAMES:
            left_out = len(kept) - _MAX_FRAMES
            mark = traceback.FrameSummary(f"<{left_out} frames left out>", 0, "...", lookup_line=False, line="")
            kept[_MAX_FRAMES // 2 : -_MAX_FRAMES // 2] = [mark]
        part.stack[:] = kept
        todo += [part.__cause__, part.__context__, *(getattr(part, "exceptions", None) or ())]


def _bounded(lines: list[str]) -> list[str]:
    if sum(map(len, lines)) <= _MAX_CHARS:
        return lines
    text = "".join(lines)
    half = _MAX_CHARS // 2
    return [text[:half], f"\n... {len(text) - 2 * half} characters left out ...\n", text[-half:]]
