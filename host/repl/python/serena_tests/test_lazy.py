from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from serena_repl import results
from serena_repl.bridge import Bridge
from serena_repl.entrypoint import Entrypoint
from serena_repl.errors import error_class, make_error
from serena_repl.facades import Bindings
from serena_repl.results import declare, make_record

from serena_tests.fake_host import TEXT, FakeRuntime, listed, member, optional

LEAF = {"name": "Leaf"}
TYPES = [
    {
        "name": "Leaf",
        "kind": "record",
        "members": [
            member("name", TEXT),
            {**member("body", optional(TEXT)), "lazy": "leaf_body_"},
            {**member("twig", optional(LEAF)), "lazy": "leaf_twig_"},
            member("children", listed(LEAF)),
            {**member("root_", TEXT), "inherit": True},
            {**member("hash_", TEXT), "inherit": True},
        ],
    },
    {
        "name": "Leaves",
        "kind": "record",
        "items": "leaves",
        "members": [member("leaves", listed(LEAF)), member("by_name", {"name": "dict", "args": [LEAF]}), member("best", optional(LEAF)), member("root_", TEXT)],
    },
]
DATA = {
    "leaves": [
        {"name": "a", "twig": None, "hash_": "1", "children": [{"name": "c"}, {"name": "d", "hash_": "2"}]},
        {"name": "b", "body": "B", "hash_": "3"},
        {"name": "e", "root_": "own"},
    ],
    "by_name": {"a": {"name": "a"}},
    "best": {"name": "b"},
    "root_": "/r",
}


class LazyTest(unittest.TestCase):
    def setUp(self) -> None:
        declare("tree", TYPES)
        self.asked: list[tuple] = []
        self.answer: Any = "text"
        self.addCleanup(setattr, results, "fetcher", results.fetcher)
        results.fetcher = self.fetch
        self.leaves = make_record("tree", "Leaves", DATA, {"depth": 1})

    def fetch(self, *what: Any) -> Any:
        self.asked.append(what)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def test_an_absent_member_is_fetched_once(self) -> None:
        first = self.leaves[0]
        self.assertEqual((first.body, first.body, first["body"]), ("text", "text", "text"))
        self.assertEqual(self.asked, [("tree", "leaf_body_", {**DATA["leaves"][0], "root_": "/r"})])

    def test_what_is_there_is_not_fetched(self) -> None:
        self.assertEqual((self.leaves[1].body, self.leaves[0].twig, self.leaves[0].children[1].name), ("B", None, "d"))
        self.assertEqual(self.asked, [])

    def test_none_that_was_fetched_is_none(self) -> None:
        self.answer = None
        self.assertEqual((self.leaves[2].twig, self.leaves[2].twig, len(self.asked)), (None, None, 1))

    def test_a_fetched_record_is_of_its_type_and_inherits_the_policy_only(self) -> None:
        self.answer = {"name": "t", "twig": None}
        twig = self.leaves[2].twig
        self.assertEqual((type(twig), twig._policy, twig.twig), (type(self.leaves[0]), {"depth": 1}, None))
        self.assertEqual(twig._data, self.answer)

    def test_inherited_members(self) -> None:
        first, _, last = self.leaves
        self.assertEqual((first.root_, first.hash_, last.root_, last.hash_), ("/r", "1", "own", ""))
        self.assertEqual([(c.root_, c.hash_) for c in first.children], [("/r", "1"), ("/r", "2")])
        self.assertEqual((self.leaves.by_name["a"].root_, self.leaves.best.root_, self.leaves[1:][0].root_), ("/r", "/r", "/r"))
        self.assertNotIn("root_", DATA["leaves"][0], "what came is as it came")
        self.assertEqual(first, make_record("tree", "Leaf", {**DATA["leaves"][0], "root_": "/r"}, {}))

    def test_only_reading_the_member_asks(self) -> None:
        first = self.leaves[0]
        before, code = repr(first), hash(first)
        self.assertIn("Leaf(name='a', body=<fetched when read>, twig=None, children=[Leaf(name='c', body=<fetched when read>,", before)
        self.assertEqual(repr(self.leaves[2]), "Leaf(name='e', body=<fetched when read>, twig=<fetched when read>, children=[])")
        same = make_record("tree", "Leaves", DATA, {})[0]
        self.assertTrue(first == same and first in [same])
        self.addCleanup(setattr, results, "renderer", results.renderer)
        rendered: list[Any] = []
        results.renderer = lambda _facade, _type, data, _policy: rendered.append(data) or "shown"
        self.assertEqual((str(first), f"{self.leaves}", dir(first)), ("shown", "shown", ["body", "children", "name", "twig"]))
        for made in (copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(self.leaves))[0]):
            self.assertEqual(made, first)
        self.assertEqual(self.asked, [])
        self.assertEqual(first.body, "text")
        self.assertEqual((first == same, hash(first) == code == hash(same), rendered[0]), (True, True, first._data), "what was fetched makes no other record")
        self.assertIn("body='text'", repr(first))

    def test_pickles_and_copies_keep_what_was_fetched(self) -> None:
        self.answer = {"name": "t", "twig": None}
        self.assertEqual(self.leaves[2].twig.name, "t")
        self.answer = "text"
        self.leaves[2].twig.body, self.leaves[0].children[0].body, self.leaves.best.body
        self.asked.clear()
        self.answer = make_error("StaleError", "changed since")
        for leaves in (pickle.loads(pickle.dumps(self.leaves)), copy.deepcopy(self.leaves), copy.copy(self.leaves), self.leaves[:]):
            self.assertEqual((leaves[2].twig.name, leaves[2].twig.body, leaves[0].children[0].body), ("t", "text", "text"))
            self.assertEqual((leaves, leaves._policy, [leaf.name for leaf in leaves]), (self.leaves, {"depth": 1}, ["a", "b", "e"]))
            with self.assertRaises(error_class("StaleError")):
                leaves[0].children[1].body
        self.assertEqual(pickle.loads(pickle.dumps(self.leaves)).best.body, "text")
        self.assertEqual(len(self.asked), 4)
        self.assertEqual(len(make_record("tree", "Leaves", DATA, {}).__reduce__()), 2, "nothing fetched, nothing more in a pickle")

    def test_a_pickle_of_an_undeclared_type_keeps_it_too(self) -> None:
        self.leaves[0].body
        code = (
            "import pickle, sys\n"
            "from serena_repl.results import declare\n"
            "from serena_tests.test_lazy import TYPES\n"
            "leaf = pickle.loads(pickle.dumps(pickle.loads(sys.stdin.buffer.read())))\n"
            "print(leaf.body, leaf)\n"
            "declare('tree', TYPES)\n"
            "print(leaf.body, leaf.root_)\n"
        )
        data = pickle.dumps(self.leaves[0])
        out = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, timeout=30, check=True, cwd=Path(__file__).parent.parent)
        first, second = out.stdout.decode().splitlines()
        self.assertEqual((first[:14], second), ("text Leaf(name", "text /r"))

    def test_a_fetch_that_fails_is_repeated(self) -> None:
        first = self.leaves[0]
        self.answer = make_error("StaleError", "a changed since it was retrieved")
        for read in (lambda: first.body, lambda: first["body"], lambda: hasattr(first, "body"), lambda: getattr(first, "body", None)):
            with self.assertRaisesRegex(error_class("StaleError"), "^a changed since"):
                read()
        self.answer = KeyboardInterrupt()
        with self.assertRaises(KeyboardInterrupt):
            first.body
        self.answer = "text"
        self.assertEqual((first.body, len(self.asked)), ("text", 6))

    def test_an_attribute_error_of_the_host_is_not_one_of_the_record(self) -> None:
        self.answer = make_error("AttributeError", 'there is no facade "tree"', {"near": []})
        for read in (lambda: hasattr(self.leaves[0], "body"), lambda: self.leaves[0]["body"]):
            with self.assertRaisesRegex(LookupError, "^there is no facade") as caught:
                read()
            self.assertEqual((caught.exception.data, isinstance(caught.exception, (AttributeError, KeyError))), ({"near": []}, False))

    def test_without_a_host(self) -> None:
        results.fetcher = None
        with self.assertRaisesRegex(RuntimeError, r"^Leaf\.body was not asked for"):
            self.leaves[0].body


class HiddenMethodsTest(unittest.TestCase):
    def test_they_can_be_called_and_are_listed_nowhere(self) -> None:
        runtime, s = FakeRuntime(), Entrypoint()
        body = {"name": "leaf_body_", "summary": "Reads.", "doc": "It.", "params": [{"name": "record", "type": {"name": "Any"}}], "result": TEXT}
        grow = {"name": "grow", "summary": "Grows.", "doc": "It.", "params": [], "result": {"name": "Leaves"}}
        s._bind(Bindings(Bridge(runtime), "g1", [{"name": "tree", "summary": "trees", "methods": [grow, body], "types": TYPES}]))
        self.assertEqual(dir(s.tree), ["Leaf", "Leaves", "grow"])
        self.assertNotIn("leaf_body_", repr(s.tree))
        with self.assertRaisesRegex(AttributeError, r"no method 'leaf_body'\. It has: grow\. "):
            s.tree.leaf_body
        runtime.give(value="text", type="", policy={})
        leaf = make_record("tree", "Leaf", {"name": "a"}, {})
        self.assertEqual(s.tree.leaf_body_(leaf), "text")
        self.assertEqual(runtime.sent[0]["args"], {"record": {"name": "a"}})
