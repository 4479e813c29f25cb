"""Delivery of interrupts: SIGINT to the main thread, and who it hits.

The handler sees the frame that the signal stopped. Whatever runs in a frame of the runtime is never torn apart: such an
interrupt is postponed and tried again. Functions marked ``open_to_interrupts`` are the exception; they are the ones that
call user code or wait on its behalf, and nothing in them needs to be completed.
"""

from __future__ import annotations

import signal
import sys
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from os import sep
from os.path import dirname
from time import sleep
from types import CodeType, FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from rlm._requests import Request, RequestQueue

_RUNTIME_FOLDER = dirname(__file__) + sep
_SOON_SECONDS = 0.002  # a frame of the runtime's was in the way
_LATER_SECONDS = 0.05  # a cancellation is under way; code that blocks the loop longer than this is hit

_open_code: set[CodeType] = set()


def open_to_interrupts(function: Callable) -> Callable:
    """Mark a runtime function in whose frames, and in those it calls, KeyboardInterrupt may be raised at any point."""
    _open_code.add(function.__code__)
    return function


@open_to_interrupts
def call_user(function, *args):
    """Call what is not the runtime's own: user code, or what the host's hooks have put in."""
    return function(*args)


class Interrupts:
    """Says which request an interrupt is for and carries it there.

    ``request.wanted`` holds an interrupt that has not been delivered. It is set by the reader thread and taken back by
    the main thread alone, so that it is delivered once, and never to another request than its own.
    """

    def __init__(self, requests: RequestQueue) -> None:
        self._requests = requests
        self._loop: AbstractEventLoop | None = None
        self._current_task: Callable | None = None
        self._main = get_ident()
        self._signalled = False  # our own signal is under way; one that comes without it is from outside
        self._retrying = allocate_lock()
        self._hit: Request | None = None  # the last that KeyboardInterrupt was raised in
        self._report = sys.unraisablehook
        self._has_signals = hasattr(signal, "pthread_kill")  # Windows has none between threads
        self.postponed = False

    def install(self, loop: AbstractEventLoop, current_task: Callable) -> None:
        """Take SIGINT over. ``current_task`` is asyncio's function of that name."""
        self._loop = loop
        self._current_task = current_task
        self._report, sys.unraisablehook = sys.unraisablehook, self._on_unraisable
        self.reclaim()

    def reclaim(self) -> None:
        """Take SIGINT back from a cell that has set a handler of its own."""
        if signal.getsignal(signal.SIGINT) != self._on_signal:
            signal.signal(signal.SIGINT, self._on_signal)

    def request(self, ident: str | None) -> None:
        """Interrupt the request ``ident``, or the running one, or else the next. Called by the reader thread."""
        target = self._requests.find(ident)
        if target is None:
            return
        # First the wish, then the look at who is active; the main thread does it the other way round.
        target.wanted = True
        if self._requests.active is target:
            self._signal()

    def check(self, request: Request) -> None:
        """Raise KeyboardInterrupt when an interrupt was parked for ``request``. Called in its own task."""
        if request.wanted:
            request.wanted = False
            raise KeyboardInterrupt

    def raise_postponed(self) -> None:
        """Raise what was postponed, if the calling code is the active request's."""
        if get_ident() != self._main:
            return
        self.postponed = False
        request = self._requests.active
        if request is not None and request.wanted and request.is_running and self._running_task() is request.task:
            request.wanted = False
            self._hit = request
            raise KeyboardInterrupt

    def _signal(self) -> None:
        if not self._has_signals:
            # Only a suspended cell can be reached.
            self._loop.call_soon_threadsafe(self._cancel_active)
        elif not self._signalled:
            self._signalled = True
            signal.pthread_kill(self._main, signal.SIGINT)

    def _on_signal(self, _signum: int, frame: FrameType | None) -> None:
        ours, self._signalled = self._signalled, False
        request = self._requests.active
        if not ours and request is not None and request.is_running:
            request.wanted = True  # from outside: for what runs now, never for what may have been queued since
        if request is None or not request.wanted or not request.is_running:
            return  # nothing to hit, or the request looks at ``wanted`` itself before it begins or ends
        task = self._running_task()
        masked = _is_masked(frame)
        if task is request.task:
            if masked:
                self.postponed = True
                self._retry_after(_SOON_SECONDS)
                return
            self.postponed = request.wanted = False
            self._hit = request
            raise KeyboardInterrupt
        # The cell is suspended. A cancel reaches it once the loop turns; code that keeps the loop from turning is hit too.
        self._loop.call_soon_threadsafe(self._cancel_active)
        self._retry_after(_LATER_SECONDS)
        if not masked and (task is not None or _is_cell_code(frame)):
            raise KeyboardInterrupt

    def _on_unraisable(self, unraisable) -> None:
        """Python swallows what a finalizer or a callback of the collector raises: an interrupt of ours comes once more then."""
        request = self._requests.active
        ours = request is not None and request is self._hit and get_ident() == self._main
        if ours and issubclass(unraisable.exc_type, KeyboardInterrupt):
            request.wanted = True
            self._retry_after(_SOON_SECONDS)
        else:
            self._report(unraisable)

    def _cancel_active(self) -> None:
        request = self._requests.active
        if request is not None and request.wanted and request.is_running:
            request.wanted = False
            request.cancelled = True
            request.task.cancel()

    def _running_task(self):
        return self._current_task(self._loop)

    def _retry_after(self, seconds: float) -> None:
        if self._retrying.acquire(False):
            start_new_thread(self._retry, (seconds,))

    def _retry(self, seconds: float) -> None:
        sleep(seconds)
        self._retrying.release()
        request = self._requests.active
        if request is not None and request.wanted and request.is_running:
            self._signal()


def _is_masked(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_RUNTIME_FOLDER):
            return code not in _open_code
        frame = frame.f_back
    return False


def _is_cell_code(frame: FrameType | None) -> bool:
    """True for a loop callback that a cell defined: it blocks the loop like a task, but asyncio names no task for it."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<cell-"):
            return True
        frame = frame.f_back
    return False
