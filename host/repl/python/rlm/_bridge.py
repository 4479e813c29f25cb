"""Requests of running code to the host, and the way of each reply to the code that waits for it."""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from itertools import count

from rlm import _frames
from rlm._channel import Channel
from rlm._interrupt import open_to_interrupts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

_Deliver = Callable[["dict | Exception"], None]


class Bridge:
    """Mints ids, ships ``host_request`` events and routes replies. Replies arrive on the reader thread."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._ids = count(1)
        self._waiting: dict[str, _Deliver] = {}
        self._ended = False
        self._why = "the host is shutting this session down and answers no more requests"

    async def ask(self, data: dict) -> dict:
        """Ship ``data`` and await its reply, on whatever loop the caller runs."""
        from asyncio import get_running_loop  # not above: the runtime is ready before asyncio is loaded

        loop = get_running_loop()
        future: Future[dict] = loop.create_future()
        ident = self._begin(data, lambda outcome: wake(loop, future, outcome))
        try:
            return await future
        finally:
            self._waiting.pop(ident, None)

    def ask_blocking(self, data: dict) -> dict:
        """Ship ``data`` and wait for its reply without the help of a loop."""
        waiter = _Waiter()
        ident = self._begin(data, waiter.deliver)
        try:
            return waiter.wait()
        finally:
            self._waiting.pop(ident, None)

    def post(self, data: dict) -> None:
        """Ship ``data`` and expect no reply."""
        json = _frames.checked_data(data, "post()")
        self._channel.send(_frames.data_line("host_request", self._mint(), json))

    def deliver(self, ident: str, data: dict) -> None:
        """Hand a reply to the code that waits for it; drop it when there is none."""
        deliver = self._waiting.pop(ident, None)
        if deliver is not None:
            deliver(data)

    def fail(self, ident: str, why: Exception) -> None:
        """Raise ``why`` in the code that waits for a reply, since none comes that can be read."""
        deliver = self._waiting.pop(ident, None)
        if deliver is not None:
            deliver(why)

    def end_in_child(self) -> None:
        """Fail what a forked child will ask: the host hears its parent alone. What waited then waits there."""
        self._waiting = {}
        self._ended = True
        self._why = "a forked process has no host: call from the process that was forked"

    def end(self) -> None:
        """Fail what waits and what will ask, since the host is leaving and replies no more."""
        self._ended = True
        for ident in list(self._waiting):
            deliver = self._waiting.pop(ident, None)
            if deliver is not None:
                deliver(ConnectionError(self._why))

    def _mint(self) -> str:
        return f"h{next(self._ids)}"

    def _begin(self, data: dict, deliver: _Deliver) -> str:
        json = _frames.checked_data(data, "host_request()")
        ident = self._mint()
        self._waiting[ident] = deliver
        if self._ended:  # looked at after the entry was made, so that one side or the other sees it
            self._waiting.pop(ident, None)
            raise ConnectionError(self._why)
        self._channel.send(_frames.data_line("host_request", ident, json))
        return ident


class _Waiter:
    """One reply, awaited by blocking. On the main thread a signal handler may raise out of ``wait``."""

    def __init__(self) -> None:
        self._arrived = allocate_lock()
        self._arrived.acquire()
        self._outcome: dict | Exception | None = None

    def deliver(self, outcome: dict | Exception) -> None:
        self._outcome = outcome
        self._arrived.release()

    @open_to_interrupts
    def wait(self) -> dict:
        self._arrived.acquire()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome


def wake(loop: AbstractEventLoop, future: Future, outcome: dict | Exception) -> None:
    """Settle ``future`` from another thread than its loop's; it may have been cancelled meanwhile."""

    def settle() -> None:
        if future.done():
            return
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        pass  # the caller's loop is closed: nobody waits any more
