"""Methods that are used in a ``with`` statement.

Entering and leaving are calls of the host. The host leaves by itself what was entered when the entering is cancelled, when it
is told so by a cancel, and when this process ends; so an interrupt between the host's answer and the block does no harm.
"""

from __future__ import annotations

from serena_repl.methods import AsyncMethod, Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ContextMethod(Method):
    """A method whose call is a ``with`` block's context manager. The call's shape is checked at once."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> ContextManager:
        return ContextManager(self, self._request(args, kwargs))


class AsyncContextMethod(AsyncMethod):
    """The same operation for ``async with``."""

    def __call__(self, /, *args: Any, **kwargs: Any) -> AsyncContextManager:  # type: ignore[override]
        return AsyncContextManager(self, self._request(args, kwargs))


class _Block:
    """One block: entered once, left once."""

    _with = "with"

    def __init__(self, method: Method, fields: dict[str, Any]) -> None:
        self._method = method
        self._fields = {**fields, "exit": method._decl["exit"]}
        self._number: int | None = None  # of the call that entered, until it is left
        self._entered: Any = None  # its value as it came
        self._used = False

    def _enter_request(self) -> tuple[dict[str, Any], int]:
        if self._used:
            raise RuntimeError(f"{self._name()} has been entered already: call it again for another block")
        self._used = True
        number = self._method._bindings.bridge.number()
        self._number = number  # from here on it may have to be left
        return self._fields, number

    def _value(self, result: dict[str, Any]) -> Any:
        self._entered = result.get("value")
        return self._method._value(result)

    def _give_up(self) -> None:
        """Let the host leave what was entered, if it was."""
        number, self._number = self._number, None
        if number is not None:
            self._method._bindings.bridge.cancel(number)

    def _exit_request(self, exc: BaseException | None) -> dict[str, Any]:
        args: dict[str, Any] = {"entered": self._entered}
        if exc is not None:
            args.update(error=_text(exc), error_kind=type(exc).__name__)
        return {"facade": self._method._facade, "method": self._fields["exit"], "args": args, "entered": self._number}

    def _name(self) -> str:
        return f"{self._method._prefix}{self._method.__qualname__}(…)"

    def _usage(self) -> str:
        return f"{self._name()} does nothing by itself; it is for a block: `{self._with} {self._name()} as x:`"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(f"{self._usage()}, where x has the attributes")

    def __repr__(self) -> str:
        return self._usage()

    def __reduce__(self) -> tuple:
        raise TypeError(f"{self._name()} is not stored: it belongs to its block")

    def __del__(self) -> None:
        if self.__dict__.get("_number") is not None:  # an interrupt came just before the exit, or a generator was dropped
            self._give_up()


class ContextManager(_Block):
    """What a :class:`ContextMethod` returns."""

    def __enter__(self) -> Any:
        fields, number = self._enter_request()
        try:
            return self._value(self._method._bindings.bridge.ask("call", fields, number))
        except BaseException:
            self._give_up()
            raise

    def __exit__(self, _cls: object, exc: BaseException | None, _traceback: object) -> None:
        try:
            self._method._bindings.bridge.ask("call", self._exit_request(exc), cancels=False)
        except BaseException:
            self._give_up()  # matters where the request did not reach the host
            raise
        self._number = None

    async def __aenter__(self) -> Any:
        raise TypeError(f"{self._usage()}; for `async with` there is s.aio.{self._method.__qualname__}")

    async def __aexit__(self, *_how: object) -> None:
        return None


class AsyncContextManager(_Block):
    """What an :class:`AsyncContextMethod` returns."""

    _with = "async with"

    async def __aenter__(self) -> Any:
        fields, number = self._enter_request()
        try:
            return self._value(await self._method._bindings.bridge.ask_async("call", fields, number))
        except BaseException:
            self._give_up()
            raise

    async def __aexit__(self, _cls: object, exc: BaseException | None, _traceback: object) -> None:
        try:
            await self._method._bindings.bridge.ask_async("call", self._exit_request(exc), cancels=False)
        except BaseException:
            self._give_up()  # matters where the request did not reach the host
            raise
        self._number = None

    def __await__(self) -> Any:
        raise TypeError(self._usage())

    def __enter__(self) -> Any:
        raise TypeError(f"{self._usage()}; for `with` there is s.{self._method.__qualname__}")

    def __exit__(self, *_how: object) -> None:
        return None


def _text(exc: BaseException) -> str:
    try:
        return str(exc)
    except Exception:  # somebody's __str__ must not keep the block from being left
        return ""
