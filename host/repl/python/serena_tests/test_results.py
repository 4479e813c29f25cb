from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import unittest
from pathlib import Path

from serena_repl import results
from serena_repl.results import convert, declare, declared_type, make_record

from serena_tests.fake_host import SYMBOL, TYPES, listed

ITEMS = {"symbols": [SYMBOL, {"name": "g", "kind": 99}], "by_name": {"f": SYMBOL}}


class ResultsTest(unittest.TestCase):
    def setUp(self) -> None:
        declare("lsp", TYPES)
        self.symbols = make_record("lsp", "Symbols", ITEMS, {"max_answer_chars": 7})

    def test_members_are_of_their_declared_types(self) -> None:
        first = self.symbols.symbols[0]
        self.assertEqual((type(first).__name__, first.name, first.line), ("Symbol", "f", 3))
        self.assertEqual((first.kind, first.kind.name, f"{first.kind}", f"{first.kind:02d}"), (5, "CLASS", "CLASS", "05"))
        self.assertEqual(type(self.symbols[1].kind), int, "a value that the enum does not have stays a number")
        self.assertEqual(self.symbols.by_name["f"], first)
        self.assertIs(self.symbols.symbols, self.symbols.symbols)

    def test_absent_members_are_empty(self) -> None:
        empty = make_record("lsp", "Symbols", {}, {})
        self.assertEqual((empty.symbols, empty.by_name, len(empty), bool(empty)), ([], {}, 0, False))
        self.assertIsNone(make_record("lsp", "Symbol", {"name": "f"}, {}).parent)
        self.assertEqual(make_record("lsp", "Symbol", {}, {}).line, 0)

    def test_items_can_be_counted_indexed_and_sliced(self) -> None:
        self.assertEqual(len(self.symbols), 2)
        self.assertEqual([s.name for s in self.symbols], ["f", "g"])
        self.assertEqual(self.symbols[-1].name, "g")
        self.assertIn(self.symbols[0], self.symbols)
        part = self.symbols[1:]
        self.assertIs(type(part), type(self.symbols))
        self.assertEqual((len(part), part[0].name, part._policy), (1, "g", {"max_answer_chars": 7}))
        self.assertEqual(len(self.symbols), 2)
        self.assertEqual(self.symbols[0]._policy, {"max_answer_chars": 7}, "elements inherit the policy")
        with self.assertRaises(IndexError):
            self.symbols[2]

    def test_a_slice_is_a_list_where_a_member_tells_of_all_items(self) -> None:
        content = {"name": "Content", "kind": "record", "items": "lines", "members": [{"name": "lines", "type": listed({"name": "str"})}, {"name": "text", "type": {"name": "str"}, "whole": True}]}
        declare("lsp", [content])
        record = make_record("lsp", "Content", {"lines": ["a", "b", "c"], "text": "a\nb\nc\n"}, {})
        self.assertEqual((record[1:], record[1], record[5:]), (["b", "c"], "b", []))

    def test_a_record_without_items_is_true_and_no_sequence(self) -> None:
        symbol = self.symbols[0]
        self.assertTrue(symbol)
        self.assertEqual(symbol["name"], "f")
        for use in (lambda: iter(symbol), lambda: len(symbol), lambda: symbol[0]):
            with self.assertRaises(TypeError):
                use()
        with self.assertRaises(KeyError):
            symbol["nam"]

    def test_equality_and_hash_are_those_of_the_data(self) -> None:
        same = make_record("lsp", "Symbol", dict(reversed(SYMBOL.items())), {})
        self.assertEqual((self.symbols[0] == same, hash(self.symbols[0])), (True, hash(same)))
        self.assertNotEqual(same, make_record("jb", "Symbol", SYMBOL, {}))
        self.assertNotEqual(same, SYMBOL)

    def test_unknown_members_name_the_nearest(self) -> None:
        with self.assertRaisesRegex(AttributeError, r"Symbol has no member 'lin'; did you mean 'line'\? It has: name, kind, line, parent$"):
            self.symbols[0].lin
        self.assertEqual(dir(self.symbols[0]), ["kind", "line", "name", "parent"])
        self.assertEqual(self.symbols[0].hash_, "x", "readable, though it is not shown")
        with self.assertRaises(AttributeError):
            self.symbols[0].name = "g"
        with self.assertRaises(AttributeError):
            del self.symbols[0].name

    def test_repr_is_short_and_asks_nobody(self) -> None:
        self.assertEqual(repr(self.symbols[0]), "Symbol(name='f', kind=<Kind.CLASS: 5>, line=3, parent=None)")
        many = make_record("lsp", "Symbols", {"symbols": [SYMBOL] * 1000}, {})
        self.assertEqual(repr(many), "Symbols(symbols=<list of 1000>, by_name={})")
        long = make_record("lsp", "Symbol", {"name": "x" * 500}, {})
        self.assertLess(len(repr(long)), 250)

    def test_copies_and_pickles_are_equal(self) -> None:
        kind = self.symbols[0].kind
        for made in (copy.copy(self.symbols), copy.deepcopy(self.symbols), pickle.loads(pickle.dumps(self.symbols))):
            self.assertEqual((made, made._policy, type(made)), (self.symbols, self.symbols._policy, type(self.symbols)))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            self.assertIs(pickle.loads(pickle.dumps(kind, protocol)), kind)

    def test_revived_before_the_declaration_is_generic_and_then_declared(self) -> None:
        data = pickle.dumps([self.symbols, self.symbols[0].kind])
        code = (
            "import pickle, sys\n"
            "from serena_repl.results import declare\n"
            "from serena_tests.fake_host import TYPES\n"
            "r, kind = pickle.loads(sys.stdin.buffer.read())\n"
            "print(r.symbols[0]['name'], type(r).__name__, kind, bool(r))\n"
            "r = pickle.loads(pickle.dumps(r))\n"
            "declare('lsp', TYPES)\n"
            "print(r[1].name, len(r), r[0].kind)"
        )
        out = subprocess.run(
            [sys.executable, "-c", code], input=data, capture_output=True, timeout=30, check=True, cwd=Path(__file__).parent.parent
        )
        self.assertEqual(out.stdout.decode().splitlines(), ["f Symbols 5 True", "g 2 CLASS"])

    def test_a_new_declaration_changes_the_class_that_exists(self) -> None:
        record = make_record("other", "Symbols", ITEMS, {})
        declare("other", TYPES)
        self.assertEqual(len(record), 2)
        declare("other", [{"name": "Symbols", "kind": "record", "members": []}])
        with self.assertRaises(TypeError):
            len(record)

    def test_conversions(self) -> None:
        cases = {
            "float": (convert("lsp", {"name": "float"}, 1, {}), 1.0),
            "null list": (convert("lsp", listed({"name": "str"}), None, {}), []),
            "null str": (convert("lsp", {"name": "str"}, None, {}), ""),
            "any": (convert("lsp", {"name": "Any"}, {"a": [1]}, {}), {"a": [1]}),
            "enums": (convert("lsp", listed({"name": "Kind"}), [1, 5], {}), [1, 5]),
            "none": (convert("lsp", {"name": "None"}, None, {}), None),
        }
        for name, (got, want) in cases.items():
            with self.subTest(name):
                self.assertEqual((got, type(got)), (want, type(want)))
        self.assertIsNone(declared_type("lsp", "Nothing"))


class RenderingTest(unittest.TestCase):
    def setUp(self) -> None:
        declare("lsp", TYPES)
        self.asked: list[tuple] = []
        self.addCleanup(setattr, results, "renderer", results.renderer)
        results.renderer = self.render

    def render(self, *what: object) -> str:
        self.asked.append(what)
        return "text"

    def test_text_is_asked_for_once(self) -> None:
        record = make_record("lsp", "Symbol", SYMBOL, {"depth": 1})
        self.assertEqual((str(record), f"{record}", f"{record:>6}"), ("text", "text", "  text"))
        self.assertEqual(self.asked, [("lsp", "Symbol", SYMBOL, {"depth": 1})])

    def test_without_its_type_or_a_host_text_is_the_repr(self) -> None:
        def gone(*_what: object) -> str:
            raise LookupError("no such type")

        results.renderer = gone
        generic = make_record("lsp", "Gone", {"a": 1}, {})
        self.assertEqual(str(generic), "Gone(a=1)")
        with self.assertRaises(LookupError):
            str(make_record("lsp", "Symbol", SYMBOL, {}))
        results.renderer = None
        self.assertEqual(str(generic), "Gone(a=1)")
