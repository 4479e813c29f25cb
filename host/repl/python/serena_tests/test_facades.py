from __future__ import annotations

import asyncio
import inspect
import pickle
import unittest
from pathlib import Path

from serena_repl.entrypoint import Entrypoint, present
from serena_repl.results import make_record

from serena_tests.fake_host import SYMBOL, FakeRuntime, bindings

SIGNATURE = (
    "lsp.find_symbol(name_path: str, include_kinds: list[Kind] = (), mode: Literal['a', 'b'] = 'a', limit: int | None = None) -> Symbols"
)


class FacadesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.runtime = FakeRuntime()
        self.s = Entrypoint()
        self.s._bind(bindings(self.runtime))

    def test_a_call_sends_what_was_given_and_builds_the_result(self) -> None:
        self.runtime.give(value={"symbols": [SYMBOL]}, type="Symbols", policy={"max_answer_chars": 7})
        got = self.s.lsp.find_symbol("f", include_kinds={self.s.lsp.Kind.CLASS}, limit=None)
        self.assertEqual((type(got).__name__, got[0].name, got._policy), ("Symbols", "f", {"max_answer_chars": 7}))
        self.assertEqual(
            self.runtime.sent,
            [{"op": "call", "call": 1, "cell": "c1", "facade": "lsp", "method": "find_symbol", "args": {"name_path": "f", "include_kinds": [5], "limit": None}}],
        )
        self.runtime.give(value={"gopls": 3}, type="", policy={})
        self.assertEqual(self.s.lsp.status(), {"gopls": 3})

    def test_calls_that_do_not_fit_ask_nobody(self) -> None:
        find = self.s.lsp.find_symbol
        cases = {
            "missing": (lambda: find(), "is missing 'name_path'"),
            "surplus": (lambda: find(1, 2, 3, 4, 5), "takes 4 arguments but 5 were given"),
            "unknown": (lambda: find("f", includeKinds=()), r"has no parameter 'includeKinds'; did you mean 'include_kinds'\?"),
            "far off": (lambda: find("f", zzz=()), "has no parameter 'zzz'\n"),
            "twice": (lambda: find("f", name_path="g"), "more than one value for 'name_path'"),
            "twice by alias": (lambda: find("f", name_path_pattern="g"), "more than one value for 'name_path'"),
        }
        for name, (call, message) in cases.items():
            with self.subTest(name), self.assertRaisesRegex(TypeError, message) as caught:
                call()
            self.assertTrue(str(caught.exception).endswith(f"\nsignature: {SIGNATURE}"), str(caught.exception))
        self.assertEqual(self.runtime.sent, [])
        find(name_path_pattern="g")
        self.assertEqual(self.runtime.sent[0]["args"], {"name_path": "g"})

    def test_a_method_looks_like_a_function(self) -> None:
        find = self.s.lsp.find_symbol
        self.assertIs(find, self.s.lsp.find_symbol)
        self.assertEqual((find.__name__, find.__qualname__), ("find_symbol", "lsp.find_symbol"))
        self.assertEqual(inspect.getdoc(find), "Finds symbols.\n\nBy their name.\n\n- name_path: what to find")
        signature = inspect.signature(find)
        self.assertEqual(list(signature.parameters), ["name_path", "include_kinds", "mode", "limit"])
        self.assertEqual(signature.parameters["include_kinds"].default, ())
        self.assertIs(signature.parameters["name_path"].default, inspect.Parameter.empty)
        self.assertEqual((signature.parameters["limit"].annotation, signature.return_annotation), ("int | None", "Symbols"))
        self.assertNotIn("name_path", repr(find), "a signature never stands without its documentation")

    def test_arguments_become_json(self) -> None:
        record = make_record("lsp", "Symbol", SYMBOL, {})
        for value, want in ((Path("a/b"), "a/b"), ((1, [2.5]), [1, [2.5]]), ({"k": record}, {"k": SYMBOL}), (frozenset(), []), (True, True)):
            with self.subTest(value):
                self.s.lsp.find_symbol(value)
                got = self.runtime.sent[-1]["args"]["name_path"]
                self.assertEqual((got, type(got)), (want, type(want)))
        for value, error in ((object(), TypeError), (b"x", TypeError), ({1: 2}, TypeError), (float("inf"), ValueError)):
            with self.subTest(value), self.assertRaisesRegex(error, "argument name_path"):
                self.s.lsp.find_symbol(value)

    def test_unknown_names_list_what_there_is(self) -> None:
        with self.assertRaisesRegex(AttributeError, r"^s has no facade 'lps'; did you mean 'lsp'\? It has: lsp, aio, info, vars, clear$"):
            self.s.lps
        with self.assertRaisesRegex(AttributeError, r"s\.lsp has no method 'findsymbol'; did you mean 'find_symbol'\? It has: find_symbol, status\. "):
            self.s.lsp.findsymbol
        self.assertEqual(dir(self.s.lsp), sorted(["find_symbol", "status", "Kind", "Symbol", "Symbols"]))
        self.assertFalse(hasattr(self.s, "_repr_html_"))

    def test_stored_methods_refuse_after_a_change_and_s_does_not(self) -> None:
        find, facade, aio = self.s.lsp.find_symbol, self.s.lsp, self.s.aio.lsp.find_symbol
        self.s._bind(bindings(self.runtime, "g2"))
        for stored, again in ((find, "use s.lsp.find_symbol"), (facade.find_symbol, "use s.lsp.find_symbol"), (aio, r"use s\.aio\.lsp\.find_symbol")):
            with self.assertRaisesRegex(RuntimeError, again):
                stored("f")
        self.runtime.give(value={}, type="", policy={})
        self.assertEqual(self.s.lsp.status(), {})
        self.assertEqual(len(self.runtime.sent), 1)

    def test_errors_of_the_host_are_raised(self) -> None:
        self.runtime.answer = {"status": "error", "error": {"kind": "StaleError", "message": "n.txt changed", "data": [1]}}
        with self.assertRaisesRegex(Exception, "^n.txt changed$") as caught:
            self.s.lsp.status()
        self.assertEqual((type(caught.exception).__name__, caught.exception.data), ("StaleError", [1]))  # type: ignore[attr-defined]

    def test_an_interrupt_cancels_the_call_and_goes_on(self) -> None:
        self.runtime.answer = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            self.s.lsp.status()
        self.assertEqual(self.runtime.posted, [{"op": "cancel", "call": 1}])

    def test_aio(self) -> None:
        self.runtime.give(value={"a": 1}, type="", policy={})

        async def both() -> list:
            return await asyncio.gather(self.s.aio.lsp.status(), self.s.aio.lsp.status())

        self.assertEqual(asyncio.run(both()), [{"a": 1}, {"a": 1}])
        self.assertEqual([q["call"] for q in self.runtime.sent], [1, 2])
        with self.assertRaisesRegex(TypeError, "is missing 'name_path'"):
            self.s.aio.lsp.find_symbol()  # before any await

        async def cancelled() -> None:
            await self.s.aio.lsp.status()

        self.runtime.answer = asyncio.CancelledError()
        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(cancelled())
        self.assertEqual(self.runtime.posted, [{"op": "cancel", "call": 3}])


class EntrypointTest(unittest.TestCase):
    def setUp(self) -> None:
        self.runtime = FakeRuntime()
        self.s = Entrypoint()
        self.namespace = self.s._namespace = {"__name__": "__main__", "s": self.s, "asyncio": asyncio, "_": 3, "_private": 4}

    def test_info_takes_names_and_objects(self) -> None:
        with self.assertRaises(RuntimeError):
            self.s.info()
        self.s._bind(bindings(self.runtime))
        self.runtime.give(text="told")
        symbol = make_record("lsp", "Symbol", SYMBOL, {})
        self.assertEqual(self.s.info("x", self.s.lsp, self.s.aio.lsp.status, symbol, type(symbol), self.s.lsp.Kind), "told")
        self.assertEqual(self.runtime.sent[0]["items"], ["x", "lsp", "lsp.status", "lsp.Symbol", "lsp.Symbol", "Kind"])

    def test_vars_and_clear(self) -> None:
        self.assertEqual((self.s.vars(), self.s.clear()), ("no variables", "no variables"))

        class Bad:
            def __repr__(self) -> str:
                raise ValueError

        self.namespace.update(b=[1, 2], a="x" * 500, path=Path, bad=Bad())
        lines = self.s.vars().splitlines()
        self.assertEqual([line.partition(":")[0] for line in lines], ["a", "b", "bad", "path"])
        self.assertEqual(lines[1], "b: list = [1, 2]")
        self.assertLess(len(lines[0]), 90)
        self.assertRegex(lines[2], "^bad: Bad = <Bad instance at ")
        with self.assertRaisesRegex(NameError, r"no variable 'pth'; did you mean 'path'\?"):
            self.s.clear("b", "pth")
        self.assertIn("b", self.namespace)
        self.assertEqual(self.s.clear("b"), "removed: b")
        self.assertEqual(self.s.clear(), "removed: a, bad, path")
        self.assertEqual(set(self.namespace), {"__name__", "s", "asyncio"})

    def test_what_may_not_be_used_says_why(self) -> None:
        self.s._bind(bindings(self.runtime, refused={"edit": "edit is refused: read-only", "lsp.rename_symbol": "lsp.rename_symbol is refused"}))
        for read, reason in ((lambda: self.s.edit, "edit is refused: read-only"), (lambda: self.s.lsp.rename_symbol, "lsp.rename_symbol is refused")):
            with self.assertRaisesRegex(AttributeError, reason):
                read()

    def test_nothing_of_it_can_be_replaced(self) -> None:
        self.s._bind(bindings(self.runtime))
        lsp, aio = self.s.lsp, self.s.aio
        for owner, name in ((self.s, "lsp"), (self.s, "aio"), (self.s, "info"), (aio, "lsp"), (lsp, "status"), (lsp, "new"), (aio.lsp, "status")):
            with self.assertRaisesRegex(AttributeError, "is read-only"):
                setattr(owner, name, 1)
            with self.assertRaisesRegex(AttributeError, "is read-only"):
                delattr(owner, name)
        self.assertIs(self.s.lsp, lsp)
        self.assertIs(self.s.aio, aio)

    def test_pickles_hold_the_entry_point_by_name_and_no_facade(self) -> None:
        s = present()
        self.assertIs(pickle.loads(pickle.dumps(s)), s)
        self.assertIs(pickle.loads(pickle.dumps(s.aio)), s.aio)
        self.s._bind(bindings(self.runtime))
        for stored in (self.s.lsp, self.s.lsp.status, self.s.aio.lsp.status):
            with self.assertRaisesRegex(TypeError, "is not stored"):
                pickle.dumps(stored)

    def test_repr_is_a_short_help(self) -> None:
        self.s._bind(bindings(self.runtime))
        self.assertTrue(repr(self.s).startswith("s.lsp – symbols\n"), repr(self.s))
        self.assertIn('s.info("lsp")', repr(self.s.lsp))
