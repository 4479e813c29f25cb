"""Requests: what a valid one looks like, the order they run in, and the thread that reads them."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Task

_CHUNK = 65_536
# Field → (type, required). What is not listed is ignored; a type that is not listed is answered in its turn.
_FIELDS: dict[str, dict[str, tuple[type, bool]]] = {
    "execute": {"id": (str, True), "code": (str, True)},
    "interrupt": {"id": (str, False)},
    "host_reply": {"id": (str, True), "data": (dict, True)},
    "list_names": {"id": (str, True)},
    "snapshot": {"id": (str, True), "path": (str, True), "manifest_path": (str, True)},
    "restore": {"id": (str, True), "path": (str, True)},
    "signatures": {"id": (str, True), "skills": (list, True)},
    "shutdown": {"id": (str, False)},
}
_JSON_NAMES = {str: "a string", dict: "an object", list: "a list of strings"}


class ProtocolError(Exception):
    """A line that is no valid request. The text says what is wrong with it."""


class Refused(Exception):
    """A request that is valid and cannot be done; the text is the ``reason`` of its ``done``."""


class Request:
    """One request that runs in its turn.

    ``wanted``: an interrupt waits to be delivered. ``is_running``: its task can be hit; before and after that, ``wanted``
    is looked at by the request itself. ``cancelled``: the interrupt was delivered as a cancellation. ``finished``: no more
    interrupts.
    """

    __slots__ = ("kind", "id", "fields", "wanted", "is_running", "cancelled", "finished", "task")

    def __init__(self, kind: str, ident: str | None, fields: dict) -> None:
        self.kind = kind
        self.id = ident
        self.fields = fields
        self.wanted = False
        self.is_running = False
        self.cancelled = False
        self.finished = False
        self.task: Task | None = None


class RequestQueue:
    """The active request and those behind it. The reader thread adds, the main thread takes."""

    def __init__(self) -> None:
        self.active: Request | None = None
        self._waiting: deque[Request] = deque()

    def add(self, request: Request) -> None:
        """Put ``request`` behind the others."""
        self._waiting.append(request)

    def take(self) -> Request | None:
        """Make the next request active and return it; None when one is active already or none waits."""
        if self.active is not None or not self._waiting:
            return None
        # Active before it leaves the queue: the other thread must find it in one place or in both.
        self.active = self._waiting[0]
        return self._waiting.popleft()

    def find(self, ident: str | None) -> Request | None:
        """The request an interrupt with this id is for; without an id the active one, or else the next.

        None is there for one whose ``done`` is on its way, and a shutdown is never called off.
        """
        waiting = list(self._waiting)  # before the look at ``active``: what has left here is found there
        active = self.active
        if active is not None and not active.finished:
            waiting.insert(0, active)
        for request in waiting:
            if request.kind != "shutdown" and ident in (None, request.id):
                return request
        return None


def parse(line: bytes) -> Request:
    """The request in one line. Raises ProtocolError."""
    try:
        fields = json.loads(line.decode())
    except UnicodeDecodeError as exc:
        raise ProtocolError(f"the line is not UTF-8: {exc.reason} at byte {exc.start}") from None
    except (RecursionError, MemoryError):
        raise ProtocolError("the line is too long or nested too deeply") from None
    except ValueError as exc:
        raise ProtocolError(f"the line is not JSON: {exc}") from None
    if not isinstance(fields, dict):
        raise ProtocolError(f"a request is a JSON object, not {type(fields).__name__}")
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise ProtocolError('a request has a "type" that is a string')
    for name, (wanted, required) in _FIELDS.get(kind, {"id": (str, False)}).items():
        value = fields.get(name)
        fits = isinstance(value, wanted) and (wanted is not list or all(isinstance(item, str) for item in value))
        if not fits and (required or value is not None):
            problem = "is missing" if name not in fields else f"is not {_JSON_NAMES[wanted]}"
            raise ProtocolError(f'"{name}" of the {kind[:100]} request {problem}')
    return Request(kind, fields.get("id"), fields)


def replied(line: bytes) -> str | None:
    """The id of the request that a line which cannot be parsed was the reply to; None when it was no reply.

    Such a line is JSON whose nesting or numbers are beyond what Python reads. It begins with type and id.
    """
    import re  # not above: hardly ever needed

    found = re.match(rb'\s*{\s*"type"\s*:\s*"host_reply"\s*,\s*"id"\s*:\s*"(\w{1,40})"', line)
    return found and found[1].decode("ascii", "replace")


def read_lines(fd: int, handle: Callable[[bytes], None], pause: Callable[[], None]) -> None:
    """Call ``handle`` with each line of ``fd``, without its end, until the end of the stream. Blank lines are left out.

    ``pause`` is called when all that came at once has been handled.
    """
    parts: list[bytes] = []
    while True:
        try:
            chunk = os.read(fd, _CHUNK)
        except OSError:
            chunk = b""  # a reset connection is an end as well
        lines = chunk.split(b"\n")
        if len(lines) > 1 or not chunk:
            parts.append(lines[0])
            lines[0] = b"".join(parts)
            last = lines.pop() if chunk else b""
            for line in lines:
                if line := line.strip(b"\r \t"):
                    handle(line)
            parts = [last]
            pause()
        else:
            parts.append(chunk)
        if not chunk:
            return
