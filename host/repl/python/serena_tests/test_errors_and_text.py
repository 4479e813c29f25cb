from __future__ import annotations

import pickle
import traceback
import unittest

from serena_repl import errors, results
from serena_repl.errors import SerenaError, error_class, make_error
from serena_repl.formatting import format_value, return_hint
from serena_repl.results import make_record


class ErrorsTest(unittest.TestCase):
    def test_kinds(self) -> None:
        for kind, base in (
            ("FileNotFoundError", FileNotFoundError),
            ("KeyError", KeyError),
            ("UnicodeDecodeError", UnicodeError),
            ("StaleError", SerenaError),
            ("KeyboardInterrupt", SerenaError),
            ("no identifier", SerenaError),
            ("make_error", SerenaError),
            ("SerenaError", SerenaError),
        ):
            with self.subTest(kind):
                error = make_error(kind, "what\nto do", {"a": 1})
                self.assertIsInstance(error, base)
                self.assertIsInstance(error, Exception)
                self.assertEqual((str(error), error.data), ("what\nto do", {"a": 1}))
                self.assertIn("what\nto do", "".join(traceback.format_exception_only(type(error), error)))
                again = pickle.loads(pickle.dumps(error))
                self.assertEqual((type(again), str(again), again.data), (type(error), str(error), error.data))

    def test_own_kinds_are_classes_of_the_module(self) -> None:
        from serena_repl.errors import PlannedError  # type: ignore[attr-defined]

        self.assertIs(error_class("PlannedError"), PlannedError)
        self.assertIs(errors.PlannedError, PlannedError)
        self.assertEqual(PlannedError.__name__, "PlannedError")
        with self.assertRaises(AttributeError):
            errors.nothing


class FormatTest(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(setattr, results, "renderer", results.renderer)
        results.renderer = lambda facade, name, data, policy: f"<{name} {data['n']}>"

    def record(self, n: int) -> object:
        return make_record("fs", "Thing", {"n": n}, {})

    def test_values(self) -> None:
        endless: list = []
        endless.append(endless)
        for value, want in (
            ("a\nb", "a\nb"),
            (1.5, "1.5"),
            (["a", "b"], "a\nb"),
            (("a", 1, None), "('a', 1, None)"),
            ((self.record(1), 2), "<Thing 1>\n2"),
            ([], "[]"),
            ((), "()"),
            ([[1, 2], ("a", 3)], "[1, 2]\n('a', 3)"),
            ({"a": "b"}, "{'a': 'b'}"),
            (self.record(1), "<Thing 1>"),
            ([self.record(1), self.record(2)], "<Thing 1>\n<Thing 2>"),
            ([("first", self.record(1)), []], "first\n<Thing 1>\n[]"),
            (endless, "[[...]]"),
        ):
            with self.subTest(repr(value)):
                self.assertEqual(format_value(value), want)

    def test_a_str_subclass_is_text(self) -> None:
        class Text(str):
            def __repr__(self) -> str:
                return "not this"

        self.assertEqual(format_value(Text("x")), "x")

    def test_errors_of_the_value_are_raised(self) -> None:
        class Bad:
            def __str__(self) -> str:
                raise ValueError("bad")

        for value in (Bad(), [Bad()]):
            with self.assertRaisesRegex(ValueError, "bad"):
                format_value(value)

    def test_return_hint(self) -> None:
        for code, want in (
            ("y = 1\nreturn y", "write `y` alone"),
            ("if x:\n    return f(x)", "write `f(x)` alone"),
            ("return", "write the expression alone"),
            ("(", None),
            ("break", None),
        ):
            with self.subTest(code):
                with self.assertRaises(SyntaxError) as caught:
                    compile(code, "<cell-1>", "exec")
                hint = return_hint(caught.exception, code)
                if want is None:
                    self.assertIsNone(hint)
                else:
                    self.assertIn(want, hint or "")


if __name__ == "__main__":
    unittest.main()
