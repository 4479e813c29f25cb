"""What becomes of a cell's trailing value: awaited if it can be, kept if it has already started, and awaitable afterwards.

A value that was settled may be awaited again, although a plain ``5`` cannot: each ``await`` at the top level of a cell asks
``settled`` about its operand first. Awaits inside functions are left alone, since such a function may leave this process.
"""

from __future__ import annotations

import ast
import builtins
from asyncio import Task
from types import CoroutineType, GeneratorType

from rlm._interrupt import open_to_interrupts

_HOOK_NAME = "__rlm_settled__"
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_MAX_ROUNDS = 100  # an awaitable whose value is another one, and so on
_ITERABLE_COROUTINE = 0x100  # CO_ITERABLE_COROUTINE: a generator made by types.coroutine


class _Settled:
    """An awaitable that is done."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __await__(self):
        return self._value
        yield


class Started:
    """Base of awaitables that make progress by themselves as long as ``running`` is true."""

    running: bool


class Settler:
    """Settles values and remembers the last one."""

    def __init__(self) -> None:
        self._last: object = None
        setattr(builtins, _HOOK_NAME, self.settled)

    def remember(self, value: object) -> None:
        """Make ``value`` the one that ``await`` returns unchanged."""
        self._last = value

    def settled(self, value: object) -> object:
        """What ``await`` is to be applied to in place of ``value``."""
        if value is not None and value is self._last and not is_awaitable(value):
            return _Settled(value)
        return value

    async def settle(self, value: object) -> object:
        """Await ``value`` until something is left that cannot be awaited, or that runs in the background already."""
        for _ in range(_MAX_ROUNDS):
            if not is_awaitable(value) or has_started(value):
                break
            before, value = value, await _await_user(value)
            if value is before:
                break
        return value


def is_awaitable(value: object) -> bool:
    """True when ``await value`` is legal."""
    if isinstance(value, CoroutineType):
        return True
    if isinstance(value, GeneratorType):
        return bool(value.gi_code.co_flags & _ITERABLE_COROUTINE)
    return getattr(type(value), "__await__", None) is not None


def has_started(value: object) -> bool:
    """True for an awaitable that makes progress without being awaited; waiting for it would undo a background launch."""
    return isinstance(value, Task) or (isinstance(value, Started) and value.running)


def rewrite_awaits(tree: ast.Module) -> None:
    """Let every ``await`` at the top level of a cell accept a settled value. A call's value never is one."""
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, _OWN_SCOPE):
            continue
        if isinstance(node, ast.Await) and not isinstance(node.value, ast.Call):
            operand = node.value
            name = ast.copy_location(ast.Name(_HOOK_NAME, ast.Load()), operand)
            node.value = ast.copy_location(ast.Call(name, [operand], []), operand)
        todo.extend(ast.iter_child_nodes(node))


@open_to_interrupts
async def _await_user(value):
    return await value
