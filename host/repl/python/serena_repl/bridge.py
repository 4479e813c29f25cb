"""The one road from the runtime to the host: numbered requests, each answered once or cancelled."""

from __future__ import annotations

import itertools

from serena_repl.errors import make_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Bridge:
    """Asks the host.

    ``runtime`` is the module ``rlm.repl`` or what stands in for it: ``host_request_sync(data)``, ``host_request(data)``
    (awaitable), ``post(data)`` and ``current_cell()``.
    """

    def __init__(self, runtime: Any) -> None:
        self._runtime = runtime
        self._numbers = itertools.count(1)  # next() is atomic: threads share it

    def number(self) -> int:
        """A number for a request that is to be cancelled by somebody else than the code that waits for it."""
        return next(self._numbers)

    def ask(self, op: str, fields: dict[str, Any], number: int | None = None, cancels: bool = True) -> dict[str, Any]:
        """Send one request and wait for its result; the host's error is raised.

        Blocks the calling thread and needs no event loop. What breaks the wait (KeyboardInterrupt) ends the request at the
        host too, unless ``cancels`` is false.
        """
        number = next(self._numbers) if number is None else number
        try:
            reply = self._runtime.host_request_sync(self._data(op, number, fields))
        except Exception:
            raise
        except BaseException:
            if cancels:
                self.cancel(number)
            raise
        return _result(reply)

    async def ask_async(self, op: str, fields: dict[str, Any], number: int | None = None, cancels: bool = True) -> dict[str, Any]:
        """The same without blocking; cancelling the task ends the request at the host too."""
        number = next(self._numbers) if number is None else number
        try:
            reply = await self._runtime.host_request(self._data(op, number, fields))
        except Exception:
            raise
        except BaseException:
            if cancels:
                self.cancel(number)
            raise
        return _result(reply)

    def _data(self, op: str, number: int, fields: dict[str, Any]) -> dict[str, Any]:
        return {"op": op, "call": number, "cell": self._runtime.current_cell(), **fields}

    def cancel(self, number: int) -> None:
        """End the request of that number; where it has entered a context manager, leave that."""
        try:
            self._runtime.post({"op": "cancel", "call": number})
        except Exception:  # the stream is closed: the host ends all requests of a runtime that ends
            pass


def _result(reply: dict[str, Any]) -> dict[str, Any]:
    if reply.get("status") == "ok":
        result = reply.get("result")
        return result if isinstance(result, dict) else {}
    error = reply.get("error")
    if not isinstance(error, dict):
        raise make_error("RuntimeError", f"the host answered with something that is no reply: {reply!r:.200}")
    raise make_error(str(error.get("kind", "RuntimeError")), str(error.get("message", "")), error.get("data"))
