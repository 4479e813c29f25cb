"""Methods of records, unions and keyed dicts."""

from __future__ import annotations

import inspect
import pickle
import unittest
from typing import Any

from serena_repl import record_methods
from serena_repl.bridge import Bridge
from serena_repl.entrypoint import Entrypoint
from serena_repl.facades import Bindings
from serena_repl.results import make_record

from serena_tests.fake_host import NUMBER, TEXT, FakeRuntime, listed, member, optional

OPTIONS = {"name": "Options", "kind": "keyed_dict", "doc": "How.", "members": [member("depth", NUMBER), member("of", optional({"name": "Gate"})), member("all", listed({"name": "Gate"}))]}
GATE = {
    "name": "Gate",
    "kind": "record",
    "members": [member("id", TEXT)],
    "methods": [{"name": "shut", "calls": "shut_", "doc": "Shuts it."}, {"name": "oil_", "calls": "shut_"}, {"name": "gone", "calls": "gone_"}],
}


def method(name: str, result: dict, *params: dict) -> dict:
    return {"name": name, "summary": "S.", "doc": "D.", "params": list(params), "result": result}


SHUT = method("shut_", {"name": "Gate"}, {"name": "record", "type": {"name": "Gate"}}, {"name": "how", "type": TEXT}, {"name": "twice", "type": {"name": "bool"}, "default": False})
PREVIEW = method("preview", {"name": "union", "args": [{"name": "Gate"}, TEXT, {"name": "float"}, {"name": "Options"}, listed({"name": "Gate"})]})
FACADES = [{"name": "garden", "summary": "gates", "methods": [SHUT, PREVIEW, method("options", {"name": "Options"})], "types": [OPTIONS, GATE]}]


class ShapesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.host = FakeRuntime()
        self.s = Entrypoint()
        self.s._bind(Bindings(Bridge(self.host), "g1", FACADES))
        self.addCleanup(setattr, record_methods, "finder", record_methods.finder)
        record_methods.finder = lambda facade, name: getattr(getattr(self.s, facade), name)
        self.gate = make_record("garden", "Gate", {"id": "a"}, {"depth": 1})

    def test_a_method_of_a_record_is_a_call_with_its_data(self) -> None:
        self.host.give(value={"id": "b"}, type="Gate", policy={})
        got = self.gate.shut("slowly", twice=True)
        self.assertEqual((type(got), got.id), (type(self.gate), "b"))
        self.assertEqual(
            self.host.sent,
            [{"op": "call", "call": 1, "cell": "c1", "facade": "garden", "method": "shut_", "args": {"record": {"id": "a"}, "how": "slowly", "twice": True}}],
        )

    def test_calls_of_a_records_method_that_do_not_fit_ask_nobody(self) -> None:
        for call, message in (
            (lambda: self.gate.shut(), "Gate.shut is missing 'how'"),
            (lambda: self.gate.shut("a", False, 3), "Gate.shut takes 2 arguments but 3 were given"),
            (lambda: self.gate.shut("a", twic=1), r"Gate.shut has no parameter 'twic'; did you mean 'twice'\?"),
            (lambda: self.gate.shut("a", record=1), "Gate.shut has no parameter 'record'"),
        ):
            with self.subTest(message), self.assertRaisesRegex(TypeError, message) as caught:
                call()
            self.assertTrue(str(caught.exception).endswith("\nsignature: Gate.shut(how: str, twice: bool = False) -> Gate"), caught.exception)
        self.assertEqual(self.host.sent, [])

    def test_it_looks_like_a_method_and_no_member(self) -> None:
        self.assertEqual(dir(self.gate), ["gone", "id", "shut"])
        self.assertEqual((repr(self.gate), self.gate.shut.__name__, self.gate.shut.__qualname__, self.gate.shut.__doc__), ("Gate(id='a')", "shut", "Gate.shut", "Shuts it."))
        self.assertEqual(str(inspect.signature(self.gate.shut)), "(how: 'str', twice: 'bool' = False) -> 'Gate'")
        self.assertEqual(repr(self.gate.shut), '<method Gate.shut, documented by s.info("garden.Gate")>')
        self.assertEqual(self.gate, make_record("garden", "Gate", {"id": "a"}, {}))
        self.host.give(text="told")
        self.s.info(self.gate.shut)
        self.assertEqual(self.host.sent[0]["items"], ["garden.Gate"])

    def test_a_method_that_the_facade_has_not(self) -> None:
        with self.assertRaisesRegex(LookupError, r"^Gate\.gone cannot be called: s\.garden has no method 'gone_'") as caught:
            self.gate.gone()
        self.assertNotIsInstance(caught.exception, AttributeError)
        record_methods.finder = None
        with self.assertRaisesRegex(RuntimeError, "there is no host to ask"):
            self.gate.shut("a")

    def test_a_pickle_keeps_them(self) -> None:
        self.host.give(value={"id": "b"}, type="Gate", policy={})
        again, shut = pickle.loads(pickle.dumps((self.gate, self.gate.shut)))
        self.assertEqual((again, again.shut("a").id, shut("a").id), (self.gate, "b", "b"))

    def test_a_method_of_a_stored_record_follows_the_bindings(self) -> None:
        shut = self.gate.shut
        self.s._bind(Bindings(Bridge(self.host), "g2", FACADES))
        self.host.give(value={"id": "b"}, type="Gate", policy={})
        self.assertEqual(shut("a").id, "b")

    def test_a_result_that_is_one_of_several_types(self) -> None:
        gate = type(self.gate)
        for value, name, want in (
            ({"id": "b"}, "Gate", make_record("garden", "Gate", {"id": "b"}, {})),
            ("none", "", "none"),
            (3, "", 3.0),
            ({"depth": 2}, "Options", {"depth": 2}),
            ([{"id": "b"}], "", [make_record("garden", "Gate", {"id": "b"}, {})]),
        ):
            self.host.give(value=value, type=name, policy={})
            got = self.s.garden.preview()
            self.assertEqual((got, type(got)), (want, type(want)))
        self.assertIs(type(got[0]), gate)
        self.assertEqual(inspect.signature(self.s.garden.preview).return_annotation, "Gate | str | float | Options | list[Gate]")

    def test_a_keyed_dict_is_a_plain_dict(self) -> None:
        data: dict[str, Any] = {"depth": 2, "of": None, "all": [{"id": "b"}], "more": {"x": 1}}
        self.host.give(value=data, type="Options", policy={})
        got = self.s.garden.options()
        self.assertEqual((type(got), got["depth"], got["of"], got["all"][0].id, got["more"]), (dict, 2, None, "b", {"x": 1}))
        self.assertEqual(pickle.loads(pickle.dumps(got)), got)
        self.assertEqual((self.s.garden.Options.__name__, self.s.garden.Options.__doc__), ("Options", "How."))
        self.host.give(text="told")
        self.s.info(self.s.garden.Options)
        self.assertEqual(self.host.sent[-1]["items"], ["Options"])
        self.s.garden.shut_(got["all"][0], str(got["depth"]))
