"""Requests one at a time: how each kind is run, and what is sent when it ends."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context

from rlm import _frames, _groups
from rlm._cells import Cell, current
from rlm._execute import CellRunner, CellError
from rlm._interrupt import call_user
from rlm._names import user_names
from rlm._remedies import Remedies
from rlm._requests import ProtocolError, Refused, Request, parse, replied
from rlm._runtime import Runtime
from rlm._traceback import error_event, protocol_error_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rlm._snapshot import PendingRestore, PendingSnapshot

_GROUPS_SECONDS = 1.0  # what killed commands have to be gone before the session ends


class Outcome:
    """What a request came to: its last events, and what its ``done`` says.

    ``value`` is the cell's trailing value, to be bound to ``_`` if no interrupt comes before ``done``; ``pending`` likewise is
    to be committed then, or else discarded.
    """

    __slots__ = ("events", "status", "extra", "value", "pending", "ends")

    def __init__(
        self, events: tuple[dict, ...] = (), status: str = "ok", value: object = None,
        pending: PendingSnapshot | PendingRestore | None = None, ends: bool = False, **extra: object,
    ) -> None:  # fmt: skip
        self.events = events
        self.status = status
        self.extra = extra
        self.value = value
        self.pending = pending
        self.ends = ends


class Server:
    """Runs requests on one loop; lines come from the reader thread through ``accept``, ``turn`` and ``end_of_input``."""

    def __init__(self, loop: asyncio.AbstractEventLoop, runtime: Runtime) -> None:
        self._loop = loop
        self._channel = runtime.channel
        self._pumps = runtime.pumps
        self._requests = runtime.requests
        self._interrupts = runtime.interrupts
        self._bridge = runtime.bridge
        self._main = runtime.main
        self._runner = CellRunner(runtime.main.__dict__, runtime.hooks)
        self._before_restore = runtime.hooks.before_restore
        self._remedies = Remedies(runtime.main.__dict__)
        self._context: Context = copy_context()  # what cells set in it, decimal's precision for one, holds for the next
        self._cell: Cell | None = None
        self._handlers: dict[str, Callable[[Request], Awaitable[Outcome]]] = {
            "execute": self._execute,
            "list_names": self._list_names,
            "snapshot": self._snapshot,
            "restore": self._restore,
            "signatures": self._signatures,
            "shutdown": self._shutdown,
        }
        self._has_added = False  # the reader thread's own
        self.ended = False

    def accept(self, line: bytes) -> None:
        """Take one line from the host. Called by the reader thread."""
        try:
            request = parse(line)
        except ProtocolError as exc:
            self._channel.send(_frames.event_line(protocol_error_event(str(exc))))
            if ident := replied(line):  # nothing else comes for the code that waits for it
                self._bridge.fail(ident, ValueError(f"the answer cannot be read: {exc}"))
            return
        if request.kind == "interrupt":
            self._interrupts.request(request.id)
        elif request.kind == "host_reply":
            self._bridge.deliver(request.id, request.fields["data"])
        else:
            if request.kind == "shutdown":
                self._bridge.end()
            self._requests.add(request)
            self._has_added = True

    def turn(self) -> None:
        """Start on what has been accepted. Called by the reader thread when it has handled all that came at once.

        Not for each request: an interrupt written together with its cell must find it not yet begun.
        """
        if self._has_added:
            self._has_added = False
            self._loop.call_soon_threadsafe(self._next)

    def end_of_input(self) -> None:
        """Treat the end of the input as a shutdown without an id. Called by the reader thread."""
        self._bridge.end()
        self._requests.add(Request("shutdown", None, {}))
        self._has_added = True
        self.turn()

    def _next(self) -> None:
        request = None if self.ended else self._requests.take()
        if request is not None:
            # The class itself, whatever task factory a cell may have set.
            task = self._context.run(asyncio.Task, self._serve(request), loop=self._loop)
            task.add_done_callback(lambda task: self._ensure_finished(request, task))

    async def _serve(self, request: Request) -> None:
        self._interrupts.reclaim()
        request.task = asyncio.current_task()
        request.is_running = True
        try:
            self._interrupts.check(request)
            outcome = await self._handlers.get(request.kind, self._unknown)(request)
            if self._channel.closed:
                os._exit(0)  # a child that a cell forked and that came to the cell's end: the rest is the parent's
        except BaseException as exc:
            if self._channel.closed:
                _end_child(exc)
            outcome = self._failure(request, exc)
        self._finish(request, outcome)

    def _failure(self, request: Request, exc: BaseException) -> Outcome:
        hint = None
        if isinstance(exc, CellError):
            exc, hint = exc.reason, exc.hint
        elif isinstance(exc, asyncio.CancelledError) and request.cancelled:
            exc = _interrupted_by(exc)
        try:
            remedies = self._remedies.lines(exc, request.fields["code"], self._cell.filename) if self._cell is not None else ()
            event = error_event(request.id, exc, hint, remedies)
        except KeyboardInterrupt as interrupt:
            # A new one: the chain of that one would have the interrupted text computed again.
            exc = KeyboardInterrupt().with_traceback(interrupt.__traceback__)
            event = error_event(request.id, exc)
        if request.kind in ("snapshot", "restore"):
            return Outcome((event,), "error", reason=f"the {request.kind} was ended by {type(exc).__name__}; nothing was changed")
        return Outcome((event,), "error")

    def _finish(self, request: Request, outcome: Outcome) -> None:
        request.is_running = False  # from here on an interrupt is only recorded
        for pump in self._pumps:
            pump.fence()
        if request.wanted:
            if outcome.pending is not None:
                outcome.pending.discard()
            outcome = self._failure(request, KeyboardInterrupt())
        elif outcome.value is not None:
            self._runner.bind(outcome.value)
        elif outcome.pending is not None:
            outcome = _committed(outcome.pending)
        events = list(outcome.events)
        if request.id is not None:
            events.append({"event": "done", "id": request.id, "status": outcome.status, **outcome.extra})
        request.finished = True
        self._channel.send(*map(_frames.event_line, events))
        if self._cell is not None:
            self._cell.live = False
            self._cell = None
        request.task = None
        self._requests.active = None
        if outcome.ends:
            self.ended = True
            self._channel.shut()
            self._loop.stop()
        else:
            self._loop.call_soon(self._next)

    def _ensure_finished(self, request: Request, task: asyncio.Task) -> None:
        """Answer for a task that something else ended, before it began or in spite of itself."""
        problem = asyncio.CancelledError() if task.cancelled() else task.exception()
        if not request.finished:
            self._finish(request, self._failure(request, problem or RuntimeError("the request ended without an answer")))

    async def _execute(self, request: Request) -> Outcome:
        self._cell = cell = self._runner.open_cell(request.id)
        try:
            value, text = await self._runner.run(cell, request.fields)
        finally:
            self._context = copy_context()
        if text is None:
            return Outcome()
        return Outcome(({"event": "result", "id": request.id, "text": text},), value=value)

    async def _list_names(self, _request: Request) -> Outcome:
        return Outcome(names=user_names(self._main.__dict__))

    async def _snapshot(self, request: Request) -> Outcome:
        from rlm._snapshot import prepare_snapshot

        return self._prepared(prepare_snapshot, request)

    async def _restore(self, request: Request) -> Outcome:
        from rlm._snapshot import prepare_restore

        if self._before_restore is not None:
            try:
                call_user(self._before_restore, request.fields, self._main.__dict__)
            except Exception as exc:
                return Outcome(status="error", reason=f"{type(exc).__name__}: {exc}")
        return self._prepared(prepare_restore, request, self._runner.adopt_sources)

    def _prepared(self, prepare: Callable, request: Request, *more: object) -> Outcome:
        current.set(None)  # what values print while they are pickled is no cell's
        try:
            return Outcome(pending=prepare(self._main.__dict__, request.fields, lambda: self._interrupts.check(request), *more))
        except Refused as exc:
            return Outcome(status="error", reason=str(exc))

    async def _signatures(self, request: Request) -> Outcome:
        current.set(None)
        return Outcome(**self._remedies.index(request.fields["skills"]))

    async def _shutdown(self, _request: Request) -> Outcome:
        if _groups.live:
            from rlm import _bash

            _bash.end_all(_GROUPS_SECONDS)
        return Outcome(ends=True)

    async def _unknown(self, request: Request) -> Outcome:
        known = ", ".join(sorted([*self._handlers, "host_reply", "interrupt"]))
        text = f"no request has the type {request.kind[:100]!r}; there are: {known}"
        return Outcome((protocol_error_event(text),), "error")


def _committed(pending: PendingSnapshot | PendingRestore) -> Outcome:
    try:
        return Outcome(**pending.commit())
    except Refused as exc:
        return Outcome(status="error", reason=str(exc))


def _interrupted_by(cancelled: asyncio.CancelledError) -> KeyboardInterrupt:
    """The KeyboardInterrupt that a cancellation stands for, raised where that one was."""
    return KeyboardInterrupt().with_traceback(cancelled.__traceback__)


def _end_child(exc: BaseException) -> None:
    """End a child that a cell forked and in which the cell failed, as the interpreter would."""
    if isinstance(exc, SystemExit):
        os._exit(exc.code if isinstance(exc.code, int) else 0 if exc.code is None else 1)
    sys.stderr.write("".join(error_event(None, exc)["traceback"]))
    os._exit(1)
