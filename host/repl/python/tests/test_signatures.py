"""The digest of skills, and what is added to a cell's error."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.client import MARK, Client, RuntimeTest

SKILL = """
from __future__ import annotations
from dataclasses import dataclass
from functools import wraps
from os.path import join
__all__ = ["run", "greet"]

@dataclass
class Greeting:
    text: str
    times: int = 1

async def run(pattern: str, path: str = ".", *, limit: int = 20):
    return [pattern] * limit

def greet(person: str, loudness: int = 1) -> Greeting:
    return Greeting(person + "!" * loudness)

def _private(x): pass
def unlisted(x): pass
"""
RUN = "await skill.run(pattern: str, path: str = '.', *, limit: int = 20)"
GREET = "skill.greet(person: str, loudness: int = 1) -> Greeting"
PLAIN = """
import json
from os.path import join
from typing import NamedTuple, Optional, TypedDict
class Row(NamedTuple):
    a: int
    b: "str"
class Opts(TypedDict):
    deep: bool
def rows(first, /, n=..., *more: int, key=lambda: 1, **rest) -> Optional[list[Row]]: pass
def opts() -> dict[str, Opts]: pass
def both() -> tuple[Row, Opts]: pass
def _no(): pass
class Shown: pass
"""


class Signatures(RuntimeTest):
    def skilled(self, **modules: str) -> Client:
        """A runtime that can import ``skill`` and these modules."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in {"skill": SKILL, **modules}.items():
            (self.folder / f"{name}.py").write_text(text)
        return self.start(path=(folder.name,))

    def added(self, client: Client, code: str, ename: str = "TypeError") -> list[str]:
        """What stands below the error's own last line."""
        lines = "".join(self.assert_error(client.run(code), ename)["traceback"]).splitlines()
        at = max(n for n, line in enumerate(lines) if line.startswith(f"{ename}:"))
        return lines[at + 1 :]

    def test_b113_calls_failed_and_digest(self) -> None:
        client = self.skilled(broken="raise ValueError('not today')", leaves="raise SystemExit")
        done = client.request("signatures", skills=["skill", "gone", "broken", "leaves", "skill"])
        self.assertEqual((done["status"], done["calls"], [f["name"] for f in done["failed"]]), ("ok", 2, ["gone", "broken", "leaves"]))
        self.assertEqual([sorted(f) for f in done["failed"]], [["name", "reason"]] * 3)
        self.assertEqual(done["failed"][1]["reason"], "ValueError: not today")
        done = client.request("signatures", skills=[])
        self.assertEqual((done["status"], done["calls"], done["failed"], done["digest"]), ("ok", 0, [], ""))

    def test_b114_one_line_a_call_and_a_shape(self) -> None:
        client = self.skilled()
        digest = client.request("signatures", skills=["skill"])["digest"]
        self.assertEqual(digest.splitlines(), [RUN, GREET, "Greeting: text: str, times: int"])

    def test_b115_modules_without_all_publish_their_own(self) -> None:
        client = self.skilled(plain=PLAIN)
        done = client.request("signatures", skills=["plain"])
        rows, opts, both, *shapes = done["digest"].splitlines()
        self.assertEqual((done["calls"], shapes), (3, ["Row: a: int, b: str", "Opts: deep: bool"]))
        self.assertRegex(rows, r"^plain\.rows\(first, /, n=Ellipsis, \*more: int, key=<function <lambda> at 0x\w+>, \*\*rest\) -> ")
        self.assertEqual((opts, both), ("plain.opts() -> dict[str, plain.Opts]", "plain.both() -> tuple[plain.Row, plain.Opts]"))

    def test_b116_a_wrong_keyword(self) -> None:
        client = self.skilled()
        client.request("signatures", skills=["skill"])
        client.run("import skill")
        self.assertEqual(self.added(client, "await skill.run('x', limt=3)"), [f"Signature: {RUN}", "limt is no parameter of it; the nearest is: limit"])
        self.assertEqual(self.added(client, "await skill.run('x', zzzzzz=3)"), [f"Signature: {RUN}"])
        self.assertEqual(self.added(client, "import asyncio\nawait asyncio.gather(skill.run(pathh=''))"), [f"Signature: {RUN}", "pathh is no parameter of it; the nearest is: path"])

    def test_b117_missing_and_surplus_arguments(self) -> None:
        client = self.skilled()
        client.request("signatures", skills=["skill"])
        client.run("import skill, functools\nfrom skill import greet as hello")
        for code in ("skill.greet()", "skill.greet(1, 2, 3)", "skill.greet(1, person=2)", "hello()", "functools.partial(hello)(1, 2, 3)", "list(map(hello, [1], [2], [3]))",
                     "def f():\n    return skill.greet()\nf()", "(skill.greet(),\n [1])", "skill.greet(*[1, 2, 3])"):  # fmt: skip
            self.assertEqual(self.added(client, code), [f"Signature: {GREET}"], code)
        self.assertEqual(self.added(client, "skill.run()"), [f"Signature: {RUN}"])

    def test_b118_other_errors_get_no_signature(self) -> None:
        client = self.skilled()
        client.request("signatures", skills=["skill"])
        client.run("import skill")
        for code in ("1 + 'a'", "skill.greet(5)", "len(1, 2)", "skill.unlisted()", "skill._private()", "def run(a): pass\nrun(1, 2)", "class C:\n    def greet(self): pass\nC().greet(1)",
                     "raise TypeError('run() is odd')", "import json\njson.dumps(1, indnt=2)", "def greet(): pass\ngreet(1)"):  # fmt: skip
            self.assertEqual(self.added(client, code), [], code)
        self.assertEqual(self.added(client, "skill.greet('x').txt", "AttributeError"), [])

    def test_b119_one_line_for_a_cell_that_failed_before(self) -> None:
        client = self.skilled()
        client.run("import skill")
        for code, ename, remedies in (("1/0", "ZeroDivisionError", []), ("skill.greet()", "TypeError", [f"Signature: {GREET}"])):
            self.assertEqual(self.added(client, code, ename), remedies)
            for _ in range(2):
                self.assertEqual([line.startswith("This very cell has failed before, as <cell-") for line in self.added(client, code, ename)], [False] * len(remedies) + [True])
        self.assertEqual(self.added(client, "2/0", "ZeroDivisionError"), [])
        self.assertEqual(self.added(client, "x = =", "SyntaxError"), [])
        self.assertEqual(len(self.added(client, "x = =", "SyntaxError")), 1)

    def test_an_interrupted_cell_has_not_failed(self) -> None:
        client = self.start()
        for _ in range(2):
            client.start(MARK + "mark({'at': 1})\nwhile True: pass")
            client.until_mark()
            client.interrupt()
            text = "".join(client.until(event="error")[-1]["traceback"])
            self.assertTrue(text.endswith("KeyboardInterrupt\n"), text)
            client.until(event="done")

    def test_without_a_request_the_namespaces_modules_count(self) -> None:
        client = self.skilled()
        self.assertEqual(self.added(client, "from skill import run\nrun()"), [])
        client.run("import skill as anything, json")
        self.assertEqual(self.added(client, "anything.greet()"), [f"Signature: {GREET}"])
        self.assertEqual(self.added(client, "json.dumps(1, indnt=2)"), [])
        client.request("signatures", skills=[])
        self.assertEqual(self.added(client, "anything.greet( )"), [])

    def test_the_signature_is_that_of_the_present_code(self) -> None:
        client = self.skilled()
        client.request("signatures", skills=["skill"])
        client.run("import skill\nsource = open(skill.__file__).read()")
        client.run("exec(compile(source.replace('loudness', 'volume'), skill.__file__, 'exec'), vars(skill))")
        self.assertEqual(self.added(client, "skill.greet()"), ["Signature: skill.greet(person: str, volume: int = 1) -> Greeting"])

    def test_wrapped_functions(self) -> None:
        body = "from functools import wraps\ndef traced(f):\n    @wraps(f)\n    def wrapper(*args, **more): return f(*args, **more)\n    return wrapper\n@traced\ndef find(name: str): pass\n"
        client = self.skilled(wrapped=body + "__all__ = ['find']\n")
        client.request("signatures", skills=["wrapped"])
        self.assertEqual(self.added(client, "import wrapped\nwrapped.find(nam=1)"), ["Signature: wrapped.find(name: str)", "nam is no parameter of it; the nearest is: name"])

    def test_a_skill_written_after_the_start(self) -> None:
        client = self.skilled()
        self.assertEqual(client.request("signatures", skills=["late"])["calls"], 0)
        (self.folder / "late.py").write_text("def now(): pass\n")
        self.assertEqual(client.request("signatures", skills=["late"])["digest"], "late.now()")

    def test_an_import_can_be_interrupted(self) -> None:
        client = self.skilled(slow="import time\nfrom rlm.repl import emit\nemit({'at': 1})\nwhile True: time.sleep(0.01)")
        client.send({"type": "signatures", "id": "s", "skills": ["slow"]})
        client.until_mark()
        client.interrupt("s")
        self.assert_error(client.until_done("s"), "KeyboardInterrupt")
        self.assert_alive(client)
