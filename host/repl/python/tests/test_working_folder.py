"""A runtime that starts in a folder whose modules have the names of the standard library's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.client import SOURCES, RuntimeTest

HOSTILE = (
    "json", "signal", "select", "asyncio", "traceback", "inspect", "ast", "dis", "difflib", "subprocess", "shutil", "threading", "enum", "pickle", "linecache",
    "tempfile", "logging", "dataclasses", "decimal", "random", "datetime", "zlib", "dill", "unicodedata",
)  # fmt: skip


class WorkingFolder(RuntimeTest):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.marker = Path(os.path.realpath(folder.name), "project"), Path(os.path.realpath(folder.name), "marker")
        self.state = str(Path(folder.name, "state"))
        self.folder.mkdir()
        for name in HOSTILE:
            (self.folder / f"{name}.py").write_text(f"open({str(self.marker)!r}, 'a').write(__name__ + '\\n')\nmine = True\n")
        (self.folder / "own.py").write_text("def answer(): return 42\n")

    def marks(self) -> str:
        """The modules of the folder that were imported."""
        return self.marker.read_text() if self.marker.exists() else ""

    def test_nothing_of_it_is_imported_until_a_cell_does(self) -> None:
        client = self.start(cwd=self.folder, flags=())
        self.assertEqual(client.value("1+1"), "2")
        self.assert_error(client.run("1/0"), "ZeroDivisionError")
        self.assert_error(client.run("def f(): pass\nf(1)"), "TypeError")
        self.assertEqual(client.value("from rlm import bash\n(await bash('echo hi')).output"), "'hi\\n'")
        self.assert_ok(client.run("def g(): return f"))
        done = client.request("snapshot", path=self.state, manifest_path=self.state + ".json")
        self.assertEqual((done["status"], done["saved"]), ("ok", ["f", "g"]), done)
        self.assertEqual(client.request("restore", path=self.state)["restored"], ["f", "g"])
        self.assertEqual(self.marks(), "")
        self.assertEqual(client.value("import sys, own\nown.answer(), sys.path[0]"), f"(42, {str(self.folder)!r})")

    def test_the_folder_of_the_runtime_itself_stays(self) -> None:
        client = self.start(cwd=SOURCES)
        self.assertEqual(client.value("import sys\nsys.path[0]"), repr(SOURCES))

    def test_started_elsewhere(self) -> None:
        client = self.start(cwd=SOURCES, env={"RLM_WORKING_FOLDER": str(self.folder)})
        self.assertEqual(client.value("1+1"), "2")
        self.assertEqual(self.marks(), "")
        self.assertEqual(
            client.value("import sys, os, own\nown.answer(), sys.path[0], os.getcwd(), os.environ.get('RLM_WORKING_FOLDER')"), f"(42, '', {str(self.folder)!r}, None)"
        )

    def test_a_folder_that_is_gone(self) -> None:
        client = self.start(cwd=SOURCES, env={"RLM_WORKING_FOLDER": str(self.folder / "none")}, ready=False)
        self.assertEqual(client.rest(), [])
        self.assertEqual(client.exit_code(), 3)
        self.assertIn(b"rlm: cells cannot work in RLM_WORKING_FOLDER: ", client.process.stderr.read())
