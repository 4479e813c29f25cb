from __future__ import annotations

import asyncio
import gc
import inspect
import pickle
import unittest
from typing import Any

from serena_repl.bridge import Bridge
from serena_repl.entrypoint import Entrypoint
from serena_repl.errors import error_class
from serena_repl.facades import Bindings

from serena_tests.fake_host import TEXT, FakeRuntime, member, optional

GATE = {"name": "Gate", "kind": "record", "members": [member("id", TEXT)]}
OPEN = {
    "name": "open_gate",
    "kind": "context_manager",
    "exit": "open_gate_exit_",
    "summary": "Opens a gate.",
    "doc": "For the block.",
    "params": [{"name": "name", "type": TEXT, "default": "front"}],
    "result": {"name": "Gate"},
}
EXIT = {
    "name": "open_gate_exit_",
    "summary": "Leaves.",
    "doc": "It.",
    "params": [{"name": "entered", "type": {"name": "Gate"}}, *({"name": n, "type": optional(TEXT), "default": None} for n in ("error", "error_kind"))],
    "result": optional(TEXT),
}
FACADES = [{"name": "garden", "summary": "gates", "methods": [OPEN, EXIT], "types": [GATE]}]


class Host(FakeRuntime):
    """Answers calls by method; what is in ``raises`` ends the wait for the method's answer, once."""

    def __init__(self) -> None:
        super().__init__()
        self.raises: dict[str, BaseException] = {}
        self.fails: dict[str, dict[str, Any]] = {}

    def host_request_sync(self, data: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(data)
        method = data["method"]
        if method in self.raises:
            raise self.raises.pop(method)
        if method in self.fails:
            return {"status": "error", "error": self.fails[method]}
        if method == "open_gate":
            return {"status": "ok", "result": {"value": {"id": data["args"].get("name", "front")}, "type": "Gate", "policy": {}}}
        return {"status": "ok", "result": {"value": None, "type": "", "policy": {}}}


class ContextManagersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.host = Host()
        self.s = Entrypoint()
        self.bind("g1")

    def bind(self, generation: str) -> None:
        self.s._bind(Bindings(Bridge(self.host), generation, FACADES))

    def exits(self) -> list[dict[str, Any]]:
        return [q["args"] for q in self.host.sent if q["method"] == "open_gate_exit_"]

    def test_enter_and_exit_are_calls(self) -> None:
        with self.s.garden.open_gate("back") as gate:
            self.assertEqual((type(gate).__name__, gate.id), ("Gate", "back"))
            self.assertEqual(len(self.host.sent), 1)
        common = {"op": "call", "cell": "c1", "facade": "garden"}
        self.assertEqual(
            self.host.sent,
            [
                {**common, "call": 1, "method": "open_gate", "args": {"name": "back"}, "exit": "open_gate_exit_"},
                {**common, "call": 2, "method": "open_gate_exit_", "args": {"entered": {"id": "back"}}, "entered": 1},
            ],
        )
        self.assertEqual(self.host.posted, [])

    def test_nothing_is_called_before_the_block(self) -> None:
        made = self.s.garden.open_gate()
        self.assertEqual(self.host.sent, [])
        with self.assertRaisesRegex(TypeError, r"open_gate has no parameter 'nam'; did you mean 'name'\?"):
            self.s.garden.open_gate(nam="x")
        with made as gate:
            self.assertEqual(gate.id, "front")

    def test_however_the_block_ends_it_is_left_once(self) -> None:
        class Odd(Exception):
            def __str__(self) -> str:
                raise ZeroDivisionError

        for exc, told in (
            (ValueError("no"), ("no", "ValueError")),
            (KeyboardInterrupt(), ("", "KeyboardInterrupt")),
            (SystemExit(3), ("3", "SystemExit")),
            (Odd(), ("", "Odd")),
        ):
            with self.subTest(exc), self.assertRaises(type(exc)) as caught:
                with self.s.garden.open_gate():
                    raise exc
            self.assertIs(caught.exception, exc)
            self.assertEqual(self.exits()[-1], {"entered": {"id": "front"}, "error": told[0], "error_kind": told[1]})
        for _ in range(2):
            with self.s.garden.open_gate():
                break
        self.assertEqual((len(self.exits()), self.host.posted), (5, []))
        gc.collect()
        self.assertEqual(self.host.posted, [], "what was left is not given up later")

    def test_an_error_of_the_exit_has_the_blocks_as_its_context(self) -> None:
        self.host.fails["open_gate_exit_"] = {"kind": "StaleError", "message": "a.txt changed since"}
        with self.assertRaisesRegex(error_class("StaleError"), "^a.txt changed since$") as caught:
            with self.s.garden.open_gate():
                raise KeyError("mine")
        self.assertIsInstance(caught.exception.__context__, KeyError)
        with self.assertRaises(error_class("StaleError")) as caught:
            with self.s.garden.open_gate():
                pass
        self.assertIsNone(caught.exception.__context__)
        self.assertEqual(len(self.exits()), 2)

    def test_what_does_not_enter_is_not_left(self) -> None:
        self.host.fails["open_gate"] = {"kind": "RuntimeError", "message": "one is open already"}
        with self.assertRaisesRegex(RuntimeError, "^one is open already$"):
            with self.s.garden.open_gate():
                self.fail("the block runs")
        self.assertEqual(self.exits(), [])

    def test_an_interrupt_while_entering_tells_the_host_to_leave(self) -> None:
        self.host.raises["open_gate"] = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            with self.s.garden.open_gate():
                self.fail("the block runs")
        self.assertEqual(self.exits(), [])
        self.assertIn({"op": "cancel", "call": 1}, self.host.posted)
        self.assertEqual({tuple(p.items()) for p in self.host.posted}, {(("op", "cancel"), ("call", 1))})

    def test_an_interrupt_while_leaving_does_not_cancel_the_exit(self) -> None:
        self.host.raises["open_gate_exit_"] = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            with self.s.garden.open_gate():
                pass
        self.assertEqual(len(self.exits()), 1)
        self.assertEqual(self.host.posted, [{"op": "cancel", "call": 1}], "the entering call's number alone, in case the exit was never sent")

    def test_a_block_that_never_ends_is_given_up(self) -> None:
        def blocks():
            with self.s.garden.open_gate() as gate:
                yield gate

        made = self.s.garden.open_gate()
        made.__enter__()
        del made
        gc.collect()
        self.assertEqual(self.host.posted, [{"op": "cancel", "call": 1}])
        generator = blocks()
        next(generator)
        del generator
        gc.collect()
        self.assertEqual(self.exits()[-1]["error_kind"], "GeneratorExit")

    def test_a_change_of_the_configuration_does_not_keep_a_block_from_being_left(self) -> None:
        made = self.s.garden.open_gate()
        with self.s.garden.open_gate():
            self.bind("g2")
        self.assertEqual(len(self.exits()), 1)
        with made:
            pass
        self.assertEqual(len(self.exits()), 2)
        stored = self.s.garden.open_gate
        self.bind("g3")
        with self.assertRaisesRegex(RuntimeError, "use s.garden.open_gate again"):
            stored()

    def test_without_a_block_it_says_what_to_do(self) -> None:
        made = self.s.garden.open_gate()
        usage = "s.garden.open_gate(…) does nothing by itself; it is for a block: `with s.garden.open_gate(…) as x:`"
        self.assertEqual((repr(made), str(made)), (usage, usage))
        with self.assertRaises(AttributeError) as caught:
            made.id
        self.assertEqual(str(caught.exception), f"{usage}, where x has the attributes")
        with self.assertRaisesRegex(TypeError, "is not stored: it belongs to its block"):
            pickle.dumps(made)
        with made:
            with self.assertRaisesRegex(RuntimeError, "has been entered already: call it again for another block"):
                made.__enter__()
        self.assertEqual(len(self.exits()), 1)

    def test_it_looks_like_a_method(self) -> None:
        self.assertEqual(str(inspect.signature(self.s.garden.open_gate)), "(name: 'str' = 'front') -> 'Gate'")
        self.assertEqual(dir(self.s.garden), ["Gate", "open_gate"])


class AsyncContextManagersTest(unittest.TestCase):
    setUp, bind, exits = ContextManagersTest.setUp, ContextManagersTest.bind, ContextManagersTest.exits

    def test_async_with(self) -> None:
        async def block() -> None:
            async with self.s.aio.garden.open_gate("back") as gate:
                self.assertEqual(gate.id, "back")
                raise ValueError("no")

        with self.assertRaisesRegex(ValueError, "^no$"):
            asyncio.run(block())
        self.assertEqual(self.exits(), [{"entered": {"id": "back"}, "error": "no", "error_kind": "ValueError"}])
        self.assertEqual((self.host.sent[0]["exit"], self.host.sent[1]["entered"]), ("open_gate_exit_", self.host.sent[0]["call"]))

    def test_a_cancelled_task_leaves(self) -> None:
        async def block() -> None:
            async with self.s.aio.garden.open_gate():
                await asyncio.Event().wait()

        async def run() -> None:
            task = asyncio.create_task(block())
            while not self.host.sent:
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task

        asyncio.run(run())
        self.assertEqual([e["error_kind"] for e in self.exits()], ["CancelledError"])

    def test_a_cancel_while_entering_tells_the_host_to_leave(self) -> None:
        self.host.raises["open_gate"] = asyncio.CancelledError()

        async def block() -> None:
            async with self.s.aio.garden.open_gate():
                self.fail("the block runs")

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(block())
        self.assertIn({"op": "cancel", "call": 1}, self.host.posted)
        self.assertEqual(self.exits(), [])

    def test_the_wrong_statement_names_the_right_one(self) -> None:
        async def awaited() -> None:
            await self.s.aio.garden.open_gate()

        async def mixed() -> None:
            async with self.s.garden.open_gate():
                pass

        with self.assertRaisesRegex(TypeError, r"`async with s\.aio\.garden\.open_gate\(…\) as x:`"):
            asyncio.run(awaited())
        with self.assertRaisesRegex(TypeError, r"for `async with` there is s\.aio\.garden\.open_gate"):
            asyncio.run(mixed())
        with self.assertRaisesRegex(TypeError, r"for `with` there is s\.garden\.open_gate"):
            with self.s.aio.garden.open_gate():
                pass
        self.assertEqual(self.host.sent, [])
