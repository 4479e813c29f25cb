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
ENUMS = """
import enum, sys
class Inner: name = 'inner'
class Planet(enum.Enum):
    EARTH = (3, 6)
    MARS = (0.6, 3)
    if sys.version_info >= (3, 11):
        G, MOONS = enum.nonmember(7), enum.nonmember({'e': 1})
    def __init__(self, mass, radius): self.mass, self.radius = mass, radius
Planet.Unit, Planet._Planet__private, Planet.home = Inner, 9, Planet.EARTH
class Text(str, enum.Enum):
    A = 'a'
    def shout(self): return self.value + '!'
if sys.version_info >= (3, 11):
    class Loose(enum.Flag, boundary=enum.KEEP):
        A = 1
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


    def test_what_is_no_member_of_an_enumeration(self) -> None:
        client = self.revived(ENUMS)
        self.assert_values(
            client, a="list(Planet), Planet.EARTH.radius → ([<Planet.EARTH: (3, 6)>, <Planet.MARS: (0.6, 3)>], 6)", b="Planet._Planet__private, Planet.Unit.name → (9, 'inner')",
            c="Planet.home is Planet.EARTH → True", d="Text.A.upper(), Text.A.shout() → ('A', 'a!')", e="(Planet.G, Planet.MOONS) if sys.version_info >= (3, 11) else (7, {'e': 1}) → (7, {'e': 1})",
        )  # fmt: skip
        if sys.version_info >= (3, 11):
            self.assert_values(client, a="Loose(9), Loose._boundary_.name → (<Loose.A|8: 9>, 'KEEP')")


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

    def test_enumerations_with_a_way_of_their_own_to_make_members(self) -> None:
        found = self.reasons(
            "import enum\nclass Auto(enum.Enum):\n    def __new__(cls, *_):\n        made = object.__new__(cls)\n        made._value_ = len(cls.__members__) + 1\n        return made\n"
            "class Made(Auto):\n    A = ()\n    B = ()\nmember = Made.B\nclass Plain(enum.IntEnum):\n    A = 1\nplain = Plain.A"
        )
        self.assertEqual(sorted(found), ["Auto", "Made", "member"])
        self.assertEqual(found["member"], "TypeError: the enumeration Made has a __new__ of its own: what it was given for each member is not known any more")
