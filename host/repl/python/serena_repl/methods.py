"""The methods of facades: a call asks the host and gives what it answers."""

from __future__ import annotations

from serena_repl import results
from serena_repl.signatures import bind, signature_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    import inspect
    from collections.abc import Coroutine
    from typing import Any


class Method:
    """One operation of a facade. Calling it asks the host and waits."""

    _prefix = "s."

    def __init__(self, bindings: Any, facade: str, decl: dict[str, Any]) -> None:
        self._bindings = bindings  # facades.Bindings, which made the facade
        self._facade = facade
        self._decl = decl
        self.__name__: str = decl["name"]
        self.__qualname__ = f"{facade}.{decl['name']}"
        self.__doc__ = documentation(decl)

    @property
    def __signature__(self) -> inspect.Signature:
        return signature_object(self._decl)

    def __repr__(self) -> str:
        return f'<method {self._prefix}{self.__qualname__}, documented by s.info("{self.__qualname__}")>'

    def __reduce__(self) -> tuple:
        raise TypeError(f"s.{self.__qualname__} is not stored: it belongs to this configuration; use s.{self.__qualname__} again")

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        fields = self._request(args, kwargs)
        return self._value(self._bindings.bridge.ask("call", fields))

    def _request(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        if not self._bindings.current:
            raise RuntimeError(
                f"{self.__qualname__} was stored before the configuration or project changed; "
                f"use {self._prefix}{self.__qualname__} again (s is always up to date)"
            )
        return {"facade": self._facade, "method": self.__name__, "args": bind(self._facade, self._decl, args, kwargs)}

    def on_record(self, record: results.Record, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Call it with the record's data as its first argument, as the record's method ``name``."""
        decl = {**self._decl, "name": name, "params": self._decl["params"][1:]}
        fields = self._request((record,), bind(record._type, decl, args, kwargs))
        return self._value(self._bindings.bridge.ask("call", fields))

    def _value(self, result: dict[str, Any]) -> Any:
        policy = result.get("policy") or {}
        if result.get("type"):
            return results.convert_declared(self._facade, result["type"], result.get("value"), policy)
        return results.convert(self._facade, self._decl["result"], result.get("value"), policy)


class AsyncMethod(Method):
    """The same operation, to be awaited; several may run at once. The call's shape is checked before the await."""

    _prefix = "s.aio."

    def __call__(self, /, *args: Any, **kwargs: Any) -> Coroutine[Any, Any, Any]:
        return self._run(self._request(args, kwargs))

    async def _run(self, fields: dict[str, Any]) -> Any:
        return self._value(await self._bindings.bridge.ask_async("call", fields))


def documentation(decl: dict[str, Any]) -> str:
    """The text of a method's ``__doc__``."""
    lines = [decl.get("summary", ""), "", decl.get("doc", "")]
    described = [p for p in decl["params"] if p.get("doc")]
    if described:
        lines += ["", *(f"- {p['name']}: {p['doc']}" for p in described)]
    return "\n".join(lines).strip()
