"""The bootstrap module and its hooks."""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path

from tests.client import Client, RuntimeTest, events, texts

FULL = """
    import time
    from rlm.repl import current_cell, emit, host_request_sync, is_active

    print("imported", is_active())

    def before_cell(request, namespace):
        namespace["seen"] = (request.get("extra"), current_cell())
        if request.get("extra") == "fail":
            raise LookupError("from before_cell")

    def format_result(value):
        if value == "ask":
            return host_request_sync({"render": value})["text"]
        if value == "loop":
            emit({"at": 1})
            while True: time.sleep(0.01)
        if value == "fail":
            raise LookupError("from format_result")
        if value == "number":
            return 5
        return f"<{value}>"

    def syntax_hint(exc, code):
        return "use print()" if "return" in code else None

    def helper():
        raise LookupError("from helper")
"""


class Bootstrap(RuntimeTest):
    def bootstrapped(self, body: str = FULL, name: str = "boot.main", **options) -> Client:
        """A runtime whose bootstrap module has this text."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name, *name.split(".")).with_suffix(".py")
        if "." in name:
            file.parent.mkdir()
            (file.parent / "__init__.py").touch()
        file.write_text(textwrap.dedent(body))
        return self.start(env={"RLM_BOOTSTRAP": name}, path=(folder.name,), **options)

    def test_imported_before_ready_and_its_output_after(self) -> None:
        client = self.bootstrapped()
        self.assertEqual(client.ready["event"], "ready")
        frame = client.frame()
        self.assertEqual((frame["event"], frame["id"]), ("stdout", None))

    def test_before_cell_sees_the_whole_request(self) -> None:
        client = self.bootstrapped()
        client.send({"type": "execute", "id": "x", "code": "seen", "extra": [1]})
        self.assertEqual([f["text"] for f in client.until_done("x") if f["event"] == "result"], ["<([1], 'x')>"])

    def test_error_in_before_cell_is_the_cells(self) -> None:
        client = self.bootstrapped()
        client.run("pass")
        client.send({"type": "execute", "id": "x", "code": "ran = 1", "extra": "fail"})
        frames = client.until_done("x")
        self.assertEqual(self.assert_error(frames, "LookupError")["evalue"], "from before_cell")
        self.assertEqual(client.value("'ran' in globals()"), "<False>")

    def test_format_result_in_place_of_repr(self) -> None:
        client = self.bootstrapped()
        client.run("pass")
        self.assertEqual(client.value("'x'"), "<x>")
        self.assertEqual(client.value("_"), "<x>")
        self.assert_ok(client.run("None"))
        self.assert_error(client.run("'fail'"), "LookupError")
        self.assert_error(client.run("'number'"), "TypeError")
        self.assertEqual(client.value("_"), "<x>")

    def test_format_result_asks_the_host(self) -> None:
        client = self.bootstrapped()
        client.run("pass")
        ident = client.start("print('out')\n'ask'")
        frames = client.until(event="host_request")
        self.assertEqual((events(frames), frames[-1]["data"]), (["stdout", "host_request"], {"render": "ask"}))
        client.send({"type": "host_reply", "id": frames[-1]["id"], "data": {"text": "rendered"}})
        self.assertEqual(client.until_done(ident)[0], {"event": "result", "id": ident, "text": "rendered"})

    def test_format_result_can_be_interrupted(self) -> None:
        client = self.bootstrapped()
        client.run("pass")
        for code, wait in (("'loop'", "display"), ("'ask'", "host_request")):
            ident = client.start(code)
            client.until(event=wait)
            client.interrupt(ident)
            frames = client.until_done(ident)
            self.assertEqual(events(frames), ["error", "done"])
            self.assert_error(frames, "KeyboardInterrupt")
            self.assertEqual(client.value("1"), "<1>")

    def test_syntax_hint(self) -> None:
        client = self.bootstrapped()
        client.run("pass")
        error = self.assert_error(client.run("x = 1\nreturn x"), "SyntaxError")
        self.assertEqual(error["evalue"], "'return' outside function (<cell-2>, line 2)\nuse print()")
        self.assertEqual(error["traceback"][-1], "use print()\n")
        self.assertNotIn("use print", self.assert_error(client.run("x = ="), "SyntaxError")["evalue"])

    def test_frames_of_its_package_are_hidden(self) -> None:
        for name in ("boot.main", "bootsingle"):
            client = self.bootstrapped(name=name)
            text = "".join(self.assert_error(client.run(f"import {name} as b\nb.helper()"), "LookupError")["traceback"])
            self.assertEqual([line for line in text.splitlines() if "File" in line], ['  File "<cell-1>", line 2, in <module>'])

    def test_hide_frames(self) -> None:
        client = self.start()
        client.run("import rlm.hooks, json\nrlm.hooks.hide_frames(json.__file__[:-len('__init__.py')])")
        text = "".join(self.assert_error(client.run("json.loads('{')"), "JSONDecodeError")["traceback"])
        self.assertEqual(text.count("File"), 1)

    def test_a_module_without_hooks_is_plain(self) -> None:
        client = self.bootstrapped("x = 1", "plainboot")
        self.assertEqual(client.value("'x'"), "'x'")

    def test_import_that_fails(self) -> None:
        for name, body, reason in (("gone", None, b"ModuleNotFoundError"), ("boot.main", "raise ValueError('bad boot')", b"bad boot"), ("boot.main", "raise SystemExit", b"SystemExit")):
            if body is None:
                client = self.start(env={"RLM_BOOTSTRAP": name}, ready=False)
            else:
                client = self.bootstrapped(body, name, ready=False)
            self.assertEqual(client.rest(), [])
            self.assertEqual(client.exit_code(), 3)
            complaint = client.process.stderr.read()
            self.assertEqual(complaint.count(b"\n"), 1)
            self.assertIn(b"bootstrap module " + name.encode(), complaint)
            self.assertIn(reason, complaint)

    def test_reserved_names_are_the_hosts(self) -> None:
        body = "from rlm import hooks\nhooks.reserve('s')\ndef before_cell(request, namespace): namespace['s'] = request.get('bound')"
        with tempfile.TemporaryDirectory() as folder:
            places = {"path": f"{folder}/state", "manifest_path": f"{folder}/manifest"}
            client = self.bootstrapped(body, "boundboot")
            client.send({"type": "execute", "id": "x", "code": "def use(): return s\na = 1", "bound": "first"})
            client.until_done("x")
            self.assertEqual(client.request("list_names")["names"], ["a", "use"])
            done = client.request("snapshot", **places)
            self.assertEqual((done["saved"], done["skipped"]), (["a", "use"], []))
            client = self.bootstrapped(body, "boundboot")
            self.assertEqual(client.request("restore", path=places["path"])["restored"], ["a", "use"])
            for bound in ("second", "third"):
                client.send({"type": "execute", "id": bound, "code": "use()", "bound": bound})
                self.assertEqual(client.until_done(bound)[0]["text"], repr(bound))

    def test_output_of_hooks_is_the_cells(self) -> None:
        client = self.bootstrapped("def before_cell(request, namespace): print('hook')", "talkboot")
        ident = client.start("pass")
        self.assertEqual(texts(client.until_done(ident), "stdout", ident), "hook\n")
