"""Reviving what Python itself pickles by its name."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.test_restore import RestoreTest
from tests.test_snapshot import SnapshotTest

TYPES = """
from typing import AnyStr, Callable, Generic, NewType, ParamSpec, TypeVar
import typing
T = TypeVar('T')
K = TypeVar('K', bound=int, covariant=True)
C = TypeVar('C', int, str)
P = ParamSpec('P')
UserId = NewType('UserId', int)
me = UserId(5)
class Box(Generic[T]):
    def __init__(self, item: T) -> None: self.item = item
    def get(self) -> T: return self.item
class IntBox(Box[int]): pass
box = IntBox(3)
def first(items: list[T], default: K, key: UserId = me) -> T: return items[0]
def deco(f: Callable[P, T]) -> Callable[P, T]: return f
alias = dict[str, T]
inside = [T, {'k': K}]
"""
NEW_SYNTAX = """
type Pair[A] = tuple[A, A]
type Number = int | float
def same[A: int](a: A) -> A: return a
class Stack[A]:
    def __init__(self): self.items: list[A] = []
    def push(self, item: A) -> 'Stack[A]':
        self.items.append(item)
        return self
stack = Stack[int]().push(1)
"""


class RestoreTypes(RestoreTest):
    def test_parameters_and_what_uses_them(self) -> None:
        client = self.revived(TYPES)
        self.assert_values(
            client, a="T, K, C, P, UserId → (~T, +K, ~C, ~P, __main__.UserId)", b="K.__bound__, C.__constraints__, T.__module__ → (<class 'int'>, (<class 'int'>, <class 'str'>), '__main__')",
            c="me, UserId(7), UserId.__supertype__ → (5, 7, <class 'int'>)", d="box.get(), Box[str]('a').get(), IntBox(4).item, Box.__parameters__ → (3, 'a', 4, (~T,))",
            e="first([1], 2), deco(first) is first → (1, True)", f="alias[int], inside, AnyStr is typing.AnyStr → (dict[str, int], [~T, {'k': +K}], True)",
        )  # fmt: skip
        self.assertEqual(self.snapshot(client)["skipped"], [])

    def test_the_syntax_of_3_12(self) -> None:
        client = self.start()
        if sys.version_info < (3, 12):
            self.assert_error(client.run(NEW_SYNTAX), "SyntaxError")
            return
        client = self.revived(NEW_SYNTAX)
        self.assert_values(
            client, a="Pair[int].__value__, Number.__value__, Pair.__name__, Pair.__module__ → (tuple[A, A], int | float, 'Pair', '__main__')",
            b="same(3), stack.push(2).items, Stack[str]().push('a').items → (3, [1, 2], ['a'])",
        )  # fmt: skip


class SkippedTypes(SnapshotTest):
    def reasons(self, code: str) -> dict[str, str]:
        """Why names are not kept; all others are restored in a new process."""
        first = self.start()
        self.assert_ok(first.run(code))
        done = self.snapshot(first)
        restored = self.start().request("restore", path=self.path)
        self.assertEqual((restored["restored"], restored["failed"]), (done["saved"], []))
        return {entry["name"]: entry["reason"] for entry in done["skipped"]}

    def test_modules_that_nobody_can_import(self) -> None:
        (self.folder / "apart.py").write_text("x = 1\n")
        found = self.reasons(
            "import sys, types, importlib.util, os.path, xml.dom.minidom as dom\nalone, known = types.ModuleType('alone'), types.ModuleType('known')\nsys.modules['known'] = known\n"
            f"spec = importlib.util.spec_from_file_location('apart', {str(Path(self.folder, 'apart.py'))!r})\napart = importlib.util.module_from_spec(spec)\nsys.modules['apart'] = apart\ndel spec"
        )
        self.assertEqual(found, {name: f"TypeError: the module '{name}' is no file that can be imported: it cannot be revived" for name in ("alone", "apart", "known")})

    def test_classes_that_hold_their_own(self) -> None:
        found = self.reasons("class A: pass\nA.inst = A()\nclass Base:\n    known = []\n    def __init_subclass__(cls): Base.known.append(cls)\nclass Sub(Base): pass\nn = 1")
        self.assertEqual(sorted(found), ["A", "Base", "Sub"])
        for name in found:
            self.assertEqual(found[name], f"PicklingError: the class {name} leads back to itself: it, or a base of it, holds an instance of it or the class")
