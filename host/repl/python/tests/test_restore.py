"""Reviving the namespace in another process."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from tests.client import MARK, Client, texts
from tests.test_snapshot import SnapshotTest

FUNCTIONS = """
import asyncio, functools, json
k = 5
_hidden = 10
def helper(x): return x + k + _hidden
def uses(n=3, *, m=2): return helper(n) * m
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)
def fact(n): return 1 if n < 2 else n * fact(n - 1)
lam = lambda x: helper(x)
def make(n):
    def add(x):
        nonlocal n
        n += x
        return n + k
    return add
closure = make(100)
def deco(f):
    @functools.wraps(f)
    def wrapper(*args): return 'deco', f(*args)
    return wrapper
@deco
def decorated(x): return helper(x)
@functools.lru_cache(None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
async def later(x):
    await asyncio.sleep(0)
    return helper(x)
inside = [lambda: k, {'f': lambda: helper(0)}]
partial = functools.partial(helper, 3)
named_elsewhere = functools.wraps(json.dumps)(lambda x: helper(x))
def bump():
    global k
    k += 1
    return k
"""
CLASSES = """
import collections, dataclasses, enum
k = 5
def helper(x): return x + k
class P:
    shared = 5
    def __init__(self, x): self.x = x
    def m(self): return helper(self.x)
    def again(self): return P(self.x + 1)
    @property
    def prop(self): return k
    @staticmethod
    def static(): return helper(1)
    @classmethod
    def made(cls): return cls(k)
class Q(P):
    def __init__(self): super().__init__(7)
    def m(self): return super().m() + 1000
p, q = P(1), Q()
bound = p.m
@dataclasses.dataclass
class D:
    x: int
    y: list = dataclasses.field(default_factory=list)
d = D(4)
N = collections.namedtuple('N', 'u v')
n = N(1, 2)
class Color(enum.Enum):
    RED = 1
    BLUE = 'b'
    @property
    def loud(self): return self.name + '!' * k
red = Color.RED
class Bits(enum.Flag):
    A = 1
    B = 2
"""


class RestoreTest(SnapshotTest):
    def revived(self, code: str, before: str = "pass") -> Client:
        """A new process, in which what ``code`` binds was restored after ``before`` had run."""
        first = self.start()
        self.assert_ok(first.run(code))
        done = self.snapshot(first)
        self.assertEqual(done["skipped"], [])
        client = self.start()
        self.assert_ok(client.run(before))
        restored = client.request("restore", path=self.path)
        self.assertEqual((restored["status"], restored["restored"], restored["failed"]), ("ok", done["saved"], []))
        return client

    def assert_values(self, client: Client, **cases: str) -> None:
        """Each expression has this text as its result; the keys only tell them apart."""
        for case in cases.values():
            expression, _, text = case.partition(" → ")
            self.assertEqual(client.value(expression), text, expression)


class Restore(RestoreTest):
    def test_b97_values_and_modules(self) -> None:
        client = self.revived(
            "import json, os.path as path, datetime, __main__ as me\na = {'k': [1, (2, None), {3.5}], 'b': b'x'}\nwhen = datetime.date(2024, 2, 29)\n"
            "text = 'é😀\\ud800'\nnames = globals()\nimport sys\nout = sys.stdout",
            "a = 'old'\nkept = 'kept'",
        )
        self.assert_values(
            client, a="a → {'k': [1, (2, None), {3.5}], 'b': b'x'}", b="when → datetime.date(2024, 2, 29)", c="text == 'é😀\\ud800' → True",
            d="json.dumps(1), path.basename('x/y') → ('1', 'y')", e="kept → 'kept'", f="names is globals() is vars(me) → True", g="out is sys.stdout → True",
        )  # fmt: skip

    def test_b97_functions(self) -> None:
        client = self.revived(FUNCTIONS)
        self.assert_values(
            client, a="uses() → 36", b="uses(1, m=1) → 16", c="even(10), odd(7), fact(10) → (True, True, 3628800)", d="lam(1) → 16", e="closure(1), closure(1) → (106, 107)",
            f="decorated(1), decorated.__name__ → (('deco', 16), 'decorated')", g="fib(30) → 832040", h="await later(1) → 16", i="inside[0](), inside[1]['f']() → (5, 15)",
            j="partial() → 18", k="named_elsewhere(1), named_elsewhere.__module__ → (16, 'json')",
        )  # fmt: skip

    def test_b97_functions_see_the_present_namespace(self) -> None:
        client = self.revived(FUNCTIONS)
        client.run("k = 100\n_hidden = 1000")
        self.assert_values(client, a="uses() → 2206", b="lam(1), closure(1), inside[0]() → (1101, 201, 100)", c="decorated(1)[1], await later(0) → (1101, 1100)")
        self.assert_values(client, a="bump(), k, bump(), k → (101, 101, 102, 102)", b="uses.__globals__ is globals() → True")
        client.run("def helper(x): return 'new'")
        self.assert_values(client, a="lam(1), inside[1]['f'](), partial() → ('new', 'new', 1105)")
        client.run("del k")
        self.assert_error(client.run("closure(1)"), "NameError")

    def test_what_the_namespace_lacks_comes_with_the_functions(self) -> None:
        client = self.revived("import asyncio\n_depth = [1]\ndef f(): return _depth, asyncio.__name__\ndef g(): return _depth")
        self.assert_values(client, a="f() → ([1], 'asyncio')", b="f()[0] is g() → True")
        client = self.revived("_depth = 1\ndef f(): return _depth", "_depth = 'present'")
        self.assert_values(client, a="f() → 'present'")

    def test_functions_with_globals_of_their_own_keep_them(self) -> None:
        client = self.revived("space = {'k': 1, '__name__': 'apart'}\nexec('def own():\\n    return k', space)\nown = space.pop('own')\nk = 2")
        self.assert_values(client, a="own() → 1")

    def test_code_that_runs_while_it_is_unpickled_finds_its_names(self) -> None:
        client = self.revived(
            "import threading, zlib\n_level = 3\ndef made(n): return Late(zlib.crc32(b'') + _level + n)\nclass Late:\n    def __init__(self, n): self.n = n\n"
            "    def __reduce__(self): return made, (1,)\nclass Locked:\n    def __getstate__(self): return {}\n"
            "    def __setstate__(self, state): self.lock = threading.Lock()\na = Late(4)\nb = Locked()"
        )
        self.assert_values(client, a="a.n, b.lock.locked() → (4, False)")

    def test_b97_classes(self) -> None:
        client = self.revived(CLASSES)
        self.assert_values(
            client, a="p.m(), p.again().x, p.prop, p.static(), p.made().x, p.shared → (6, 2, 5, 6, 5, 5)", b="q.m(), Q().m(), bound() → (1012, 1012, 6)",
            c="d, D(1) → (D(x=4, y=[]), D(x=1, y=[]))", d="n, N(3, 4) → (N(u=1, v=2), N(u=3, v=4))",
            e="red, Color('b'), Color.BLUE.loud, Bits.A | Bits.B == Bits(3) → (<Color.RED: 1>, <Color.BLUE: 'b'>, 'BLUE!!!!!', True)",
        )  # fmt: skip
        client.run("k = 50")
        self.assert_values(client, a="p.m(), P(1).m(), q.m(), bound(), p.prop, p.made().x → (51, 51, 1057, 51, 50, 50)", b="isinstance(p.again(), P) → True")

    def test_sources_of_the_cells_come_along(self) -> None:
        first = self.start()
        first.run("pass")
        first.run("def fails(x):\n    return 1 / x  # the line")
        self.snapshot(first)
        client = self.start()
        client.request("restore", path=self.path)
        text = "".join(self.assert_error(client.run("fails(0)"), "ZeroDivisionError")["traceback"])
        self.assertIn('File "<cell-2>", line 2, in fails\n    return 1 / x  # the line\n', text)
        self.assertIn('File "<cell-3>", line 1, in <module>\n    fails(0)\n', text)
        self.assert_values(client, a="import inspect; inspect.getsource(fails) → 'def fails(x):\\n    return 1 / x  # the line\\n'")

    def test_a_second_generation(self) -> None:
        client = self.revived(FUNCTIONS)
        self.assertEqual(self.snapshot(client)["skipped"], [])
        client = self.start()
        self.assertEqual(client.request("restore", path=self.path)["failed"], [])
        client.run("k = 6")
        self.assert_values(client, a="uses() → 38", b="fib(10), closure(0) → (55, 106)")

    def test_b107_a_file_that_is_not_there(self) -> None:
        client = self.start()
        done = client.request("restore", path=self.path)
        self.assertEqual({k: done[k] for k in ("status", "restored", "failed", "reason")}, {"status": "ok", "restored": [], "failed": [], "reason": "snapshot not found"})

    def test_b108_files_that_are_no_snapshots(self) -> None:
        first = self.start()
        first.run("a = 'new'\nb = 'x' * 5_000")
        self.snapshot(first)
        whole = Path(self.path).read_bytes()
        client = self.start()
        client.run("a = 'old'")
        changed = whole.replace(b"xxx", b"xyx", 1)
        for data in (b"rubbish", b"", whole[: len(whole) // 2], whole[:-1], changed, whole[:20], b"\0" * 5_000):
            Path(self.path).write_bytes(data)
            self.assert_refused(client.request("restore", path=self.path), "snapshot" if data else "empty")
        self.assert_refused(client.request("restore", path=str(self.folder)), "cannot be read")
        self.assertEqual(client.value("a, 'b' in globals()"), "('old', False)")

    def test_b109_a_module_that_is_gone(self) -> None:
        (self.folder / "lib").mkdir()
        module = self.folder / "lib" / "passing.py"
        module.write_text("class Guest: pass\n")
        first = self.start(path=(str(module.parent),))
        first.run("import passing\nguest = passing.Guest()\ndel passing\nstays = 1")
        self.assertEqual(self.snapshot(first)["saved"], ["guest", "stays"])
        os.unlink(module)
        client = self.start(path=(str(module.parent),))
        done = client.request("restore", path=self.path)
        self.assertEqual((done["status"], done["restored"]), ("ok", ["stays"]))
        self.assertEqual([entry["name"] for entry in done["failed"]], ["guest"])
        self.assertIn("passing", done["failed"][0]["reason"])
        self.assertEqual(client.value("stays, 'guest' in globals()"), "(1, False)")

    def test_b111_names_that_are_never_restored(self) -> None:
        client = self.start()
        client.run("from rlm import _payload\nimport pickle\n_p = {n: pickle.dumps(n) for n in ('In', 'Out', 'get_ipython', 'mine')}\n_payload.Payload.here(_p, {}).write(" + repr(self.path) + ")")
        client = self.start()
        self.assertEqual(client.request("restore", path=self.path)["restored"], ["mine"])
        self.assertEqual(client.value("[n for n in ('In', 'Out', 'get_ipython', 'mine') if n in globals()]"), "['mine']")

    def test_code_of_another_python_fails_by_name(self) -> None:
        first = self.start()
        first.run("a = 1\ndef f(): pass")
        self.snapshot(first)
        magic = importlib.util.MAGIC_NUMBER.hex()
        client = self.start()
        client.run(f"from rlm import _payload\n_p = _payload.read({self.path!r})\n_p.bytecode, _p.python = 'other', '3.99.0'\n_p.write({self.path + '2'!r})")
        client = self.start()
        done = client.request("restore", path=self.path + "2")
        self.assertEqual((done["restored"], [entry["name"] for entry in done["failed"]]), (["a"], ["f"]))
        self.assertIn("3.99.0", done["failed"][0]["reason"])
        self.assertIn(magic.encode(), Path(self.path).read_bytes())

    def test_an_interrupt_binds_nothing(self) -> None:
        first = self.start()
        first.run("import time\ndef wait():\n    import rlm.repl\n    rlm.repl.emit({'at': 1})\n    while True: time.sleep(0.01)\nclass Slow:\n    def __reduce__(self): return wait, ()\na = 1\nslow = Slow()")
        self.assertEqual(self.snapshot(first)["skipped"], [])
        client = self.start()
        client.run("a = 'old'")
        client.send({"type": "restore", "id": "r", "path": self.path})
        client.until_mark()
        client.interrupt("r")
        frames = client.until_done("r")
        self.assert_error(frames, "KeyboardInterrupt")
        self.assertIn("KeyboardInterrupt", frames[-1]["reason"])
        self.assertEqual(client.value("a"), "'old'")

    def test_output_while_it_pickles_is_not_lost(self) -> None:
        client = self.start()
        frames = client.run(FUNCTIONS + MARK + "import threading\nstop = False\ndef talk():\n    n = 0\n    while not stop:\n        print(n); n += 1\n    mark({'n': n})\nthread = threading.Thread(target=talk); thread.start()")
        client.send({"type": "snapshot", "id": "s", "path": self.path, "manifest_path": self.manifest_path})
        frames += client.until_done("s")
        client.start("stop = True")
        frames += client.until_mark()
        self.assertEqual(texts(frames, "stdout", None), "".join(f"{n}\n" for n in range(frames[-1]["data"]["n"])))
