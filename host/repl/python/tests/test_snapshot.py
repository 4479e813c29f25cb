"""Saving the namespace."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from pathlib import Path

from tests.client import MARK, Client, RuntimeTest, events

KEYS = ["bytes", "pruned", "pythonVersion", "savedNames", "skipped", "timestamp", "version"]
BIG = "big = 'x' * 100_000\nsmall = 1\n"


class SnapshotTest(RuntimeTest):
    """Gives each test a folder for the two files."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path, self.manifest_path = str(self.folder / "state"), str(self.folder / "manifest.json")

    def snapshot(self, client: Client, **fields: object) -> dict:
        """The ``done`` of a snapshot into the test's files, unless ``fields`` say others."""
        return client.request("snapshot", **{"path": self.path, "manifest_path": self.manifest_path, **fields})

    def files(self) -> list[str]:
        """The names in the test's folder."""
        return sorted(os.listdir(self.folder))

    def assert_refused(self, done: dict, words: str) -> None:
        """The request failed with this reason, and says nothing else."""
        self.assertEqual((done["status"], sorted(done)), ("error", ["event", "id", "reason", "status"]), done)
        self.assertIn(words, done["reason"])


class Snapshot(SnapshotTest):
    def test_b95_saved_names_and_the_manifest(self) -> None:
        client = self.start()
        client.run("a = 1\nb = [a]\ndef fn(): return a")
        for _ in range(2):
            done = self.snapshot(client)
            self.assertEqual({k: done[k] for k in ("status", "saved", "skipped", "pruned")}, {"status": "ok", "saved": ["a", "b", "fn"], "skipped": [], "pruned": []})
            self.assertGreater(done["bytes"], 0)
            manifest = json.loads(Path(self.manifest_path).read_text())
            self.assertEqual(sorted(manifest), KEYS)
            self.assertEqual((manifest["savedNames"], manifest["skipped"], manifest["pruned"], manifest["bytes"]), (done["saved"], [], [], done["bytes"]))
            self.assertEqual((manifest["version"], manifest["pythonVersion"]), (1, platform.python_version()))
            self.assertRegex(manifest["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertEqual(self.files(), ["manifest.json", "state"])
            self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)

    def test_b96_names_that_are_not_the_users(self) -> None:
        client = self.start()
        client.run("_x = __y = 1\nrlm = mcp = bash = asyncio = In = Out = get_ipython = exit = quit = open = 1\nmine = 2\n5")
        done = self.snapshot(client)
        self.assertEqual((done["saved"], done["skipped"]), (["mine"], []))
        self.assertEqual(client.request("list_names")["names"], ["mine"])

    def test_files_are_skipped_and_never_opened_again(self) -> None:
        target = self.folder / "report.txt"
        client = self.start()
        client.run(
            f"import io, logging\npath = {str(target)!r}\nwith open(path, 'w') as closed: closed.write('kept')\n"
            "reading = open(path)\nwithin = [open(path, 'rb')]\nraw = open(path, 'r+b', buffering=0)\n"
            "handler = logging.FileHandler(path, 'a')\nmemory = io.StringIO('m')\nn = 1"
        )
        done = self.snapshot(client)
        self.assertEqual(sorted(done["saved"]), ["io", "logging", "memory", "n", "path"])
        reasons = {entry["name"]: entry["reason"] for entry in done["skipped"]}
        self.assertEqual(sorted(reasons), ["closed", "handler", "raw", "reading", "within"])
        self.assertIn("opening it again could empty it", reasons["closed"])
        fresh = self.start()
        self.assertEqual(fresh.request("restore", path=self.path)["status"], "ok")
        self.assertEqual((target.read_text(), fresh.value("memory.getvalue()")), ("kept", "'m'"))

    def test_b98_a_value_beyond_its_cap_is_skipped_and_kept(self) -> None:
        client = self.start()
        client.run(BIG)
        done = self.snapshot(client, max_variable_bytes=1_024)
        self.assertEqual((done["saved"], done["pruned"]), (["small"], []))
        self.assertEqual(done["skipped"], [{"name": "big", "reason": "its pickle exceeds max_variable_bytes (1024)"}])
        self.assertEqual(client.value("len(big)"), "100000")

    def test_b99_prune_deletes_what_is_beyond_its_cap(self) -> None:
        client = self.start()
        client.run(BIG)
        done = self.snapshot(client, max_variable_bytes=1_024, prune_oversized=True)
        self.assertEqual((done["saved"], done["pruned"], [s["name"] for s in done["skipped"]]), (["small"], ["big"], ["big"]))
        self.assertEqual(json.loads(Path(self.manifest_path).read_text())["pruned"], ["big"])
        self.assertEqual(client.value("'big' in globals()"), "False")

    def test_b100_the_total_cap_skips_and_never_prunes(self) -> None:
        client = self.start()
        client.run("a = 'x' * 600\nb = 'y' * 600\nc = 3\nimport functools\nd = functools.partial(print, 'z' * 600)")
        done = self.snapshot(client, max_bytes=1_000, max_variable_bytes=900, prune_oversized=True)
        self.assertEqual((done["saved"], done["pruned"]), (["a", "c", "functools"], []))
        self.assertEqual([s["name"] for s in done["skipped"]], ["b", "d"])
        self.assertIn("max_bytes (1000)", done["skipped"][0]["reason"])
        self.assertLessEqual(done["bytes"], 1_000)
        self.assertEqual(client.value("len(b)"), "600")
        self.assertEqual(self.snapshot(client, max_bytes=0)["saved"], [])

    def test_a_function_does_not_count_the_names_it_uses(self) -> None:
        client = self.start()
        client.run(BIG + "def use(): return len(big)")
        done = self.snapshot(client, max_variable_bytes=1_024, prune_oversized=True)
        self.assertEqual((done["saved"], done["pruned"]), (["small", "use"], ["big"]))

    def test_b101_what_cannot_be_pickled(self) -> None:
        client = self.start()
        client.run(
            "import socket\nsock = socket.socket()\ngen = (i for i in 'ab')\nclass Bad:\n    def __reduce__(self): raise ValueError('not me')\nbad = Bad()\n"
            "class Exits:\n    def __reduce__(self): raise SystemExit(3)\nexits = Exits()\ndeep = []\nfor _ in range(100_000): deep = [deep]\n"
            "class Ring: pass\nRing.only = Ring()\ngood = 1"
        )
        done = self.snapshot(client)
        self.assertEqual((done["status"], done["saved"]), ("ok", ["Bad", "Exits", "good", "socket"]))
        reasons = {entry["name"]: entry["reason"] for entry in done["skipped"]}
        self.assertEqual(sorted(reasons), ["Ring", "bad", "deep", "exits", "gen", "sock"])
        self.assertEqual(reasons["bad"], "ValueError: not me")
        self.assertIn("generator", reasons["gen"])
        self.assertIn("RecursionError", reasons["deep"])
        self.assert_ok(client.run("sock.close()\nwhile deep: deep = deep[0]"))

    def test_b102_a_manifest_that_cannot_be_written_fails_it_all(self) -> None:
        client = self.start()
        client.run(BIG)
        self.snapshot(client)
        before = Path(self.path).read_bytes()
        (self.folder / "file").touch()
        for bad in ("none/manifest", "file/manifest"):
            done = self.snapshot(client, manifest_path=str(self.folder / bad), max_variable_bytes=10, prune_oversized=True)
            self.assert_refused(done, "cannot be written")
            self.assertEqual(client.value("len(big)"), "100000")
            self.assertEqual(Path(self.path).read_bytes(), before)
        self.assert_refused(self.snapshot(client, manifest_path=str(self.folder)), "not the name of a file")
        self.assertEqual(self.files(), ["file", "manifest.json", "state"])

    def test_a_payload_that_cannot_be_written(self) -> None:
        client = self.start()
        client.run("a = 1")
        self.assert_refused(self.snapshot(client, path=str(self.folder / "none" / "state")), "cannot be written")
        self.assert_refused(self.snapshot(client, path=""), "not the name of a file")
        self.assert_refused(self.snapshot(client, path=f"{self.path}\0"), "null")
        self.assertEqual(self.files(), [])

    def test_b104_one_file_for_both(self) -> None:
        client = self.start()
        client.run("a = 1")
        (self.folder / "link").symlink_to(self.path)
        for other in (self.path, str(self.folder / "." / "state"), str(self.folder / "link")):
            self.assert_refused(self.snapshot(client, manifest_path=other), "same file")
        self.assertEqual(self.files(), ["link"])

    def test_b105_caps_and_flags_that_are_none(self) -> None:
        client = self.start()
        client.run(BIG)
        for name in ("max_bytes", "max_variable_bytes"):
            for value in (-1, "9", None, 1.5, True, [1]):
                self.assert_refused(self.snapshot(client, **{"prune_oversized": True, name: value}), name)
        for value in (1, "true", None):
            self.assert_refused(self.snapshot(client, max_variable_bytes=10, prune_oversized=value), "prune_oversized")
        self.assertEqual(self.files(), [])
        self.assertEqual(client.value("len(big)"), "100000")

    def test_b110_list_names_is_saved_and_skipped(self) -> None:
        client = self.start()
        client.run("import json\nz = 1\ngen = (i for i in 'ab')\n_no = 1\ndef fn(): pass")
        done = self.snapshot(client)
        self.assertEqual(client.request("list_names")["names"], sorted(done["saved"] + [s["name"] for s in done["skipped"]]))

    def test_b112_dill_comes_late_and_may_be_missing(self) -> None:
        client = self.start()
        self.assertEqual(client.value("import sys\n'dill' in sys.modules"), "False")
        client.run("sys.modules['dill'] = None\na = 1")
        self.assert_refused(self.snapshot(client), "dill")
        Path(self.path).write_bytes(b"")
        self.assertEqual(client.request("list_names")["names"], ["a", "sys"])
        os.unlink(self.path)
        other = self.start()
        other.run("a = 1")
        self.snapshot(other)
        self.assert_refused(client.request("restore", path=self.path), "dill")

    def test_a_users_own_dill_wins(self) -> None:
        (self.folder / "own").mkdir()
        (self.folder / "own" / "dill.py").write_text("raise RuntimeError('my own dill')\n")
        client = self.start(path=(str(self.folder / "own"),))
        client.run("import sys")
        self.assert_refused(self.snapshot(client), "my own dill")

    def test_interrupted_by_its_id(self) -> None:
        client = self.start()
        client.run("kept = 1")
        self.snapshot(client)
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        client.run(MARK + "import time\nclass Slow:\n    def __reduce__(self):\n        mark({'at': 1})\n        while True: time.sleep(0.01)\nslow = Slow()\nkept = 2")
        client.send({"type": "snapshot", "id": "s", "path": self.path, "manifest_path": self.manifest_path})
        client.until_mark()
        client.interrupt("s")
        frames = client.until_done("s")
        self.assertEqual(events(frames), ["error", "done"])
        self.assert_error(frames, "KeyboardInterrupt")
        self.assertIn("KeyboardInterrupt", frames[-1]["reason"])
        self.assertEqual({name: (self.folder / name).read_bytes() for name in self.files()}, before)
        self.assert_alive(client)

    def test_interrupted_before_it_began(self) -> None:
        client = self.start()
        client.run("a = 1")
        client.send({"type": "snapshot", "id": "s", "path": self.path, "manifest_path": self.manifest_path}, {"type": "interrupt", "id": "s"})
        self.assert_error(client.until_done("s"), "KeyboardInterrupt")
        self.assertEqual(self.files(), [])

    def test_output_of_values_is_no_cells(self) -> None:
        client = self.start()
        client.run("class Loud:\n    def __reduce__(self):\n        print('reduced')\n        return Loud, ()\nloud = Loud()")
        client.send({"type": "snapshot", "id": "s", "path": self.path, "manifest_path": self.manifest_path})
        frames = client.until_done("s")
        self.assertEqual({(f["event"], f["id"]) for f in frames[:-1]}, {("stdout", None)})
