"""Ready, and what may stand on the protocol's stream."""

from __future__ import annotations

import os
import platform
import sys

from tests.client import SOURCES, RuntimeTest, texts


class Channels(RuntimeTest):
    def test_b01_ready_is_first_and_single(self) -> None:
        for flags in ((), ("-S",)):
            client = self.start(flags=flags)
            self.assertEqual(client.ready, {"event": "ready", "protocol": 3, "python": platform.python_version(), "capabilities": ["signatures"]})
            self.assertEqual(client.rest(), [])

    def test_b02_every_line_is_an_event_and_stderr_stays_empty(self) -> None:
        client = self.start()
        client.run("import os, sys\nprint('a')\nsys.stderr.write('b')\nos.write(1, b'c')\nos.write(2, b'd')\nos.system('echo e; echo f >&2')")
        client.run("1/0")
        client.send({"type": "shutdown", "id": "end"})
        client.rest()
        self.assertEqual(client.exit_code(), 0)
        self.assertGreaterEqual(len(client.lines), 8)
        self.assertEqual(client.process.stderr.read(), b"")

    def test_b03_requests_before_ready_are_answered_after_it(self) -> None:
        client = self.start(ready=False)
        idents = [client.start(f"{n} * 10") for n in (1, 2, 3)]
        self.assertEqual(client.frame()["event"], "ready")
        frames = client.until_done(idents[-1])
        self.assertEqual([(f["id"], f.get("text")) for f in frames], [(i, t) for n, i in enumerate(idents) for t in (f"{n + 1}0", None)])

    def test_environment_keeps_nothing_of_the_runtime(self) -> None:
        client = self.start(path=(os.path.dirname(sys.executable),), env={"RLM_OTHER": "1"})
        self.assertEqual(client.value("import os\n[n for n in os.environ if n.startswith('RLM_')]"), "[]")
        self.assertEqual(client.value("os.environ['PYTHONPATH']"), repr(os.path.dirname(sys.executable)))
        client = self.start()
        self.assertEqual(client.value("import os, sys\n'PYTHONPATH' in os.environ, sys.argv"), "(False, [''])")
        self.assertEqual(client.value(f"{SOURCES!r} in sys.path"), "True")

    def test_stdout_closed_by_the_host_ends_the_process(self) -> None:
        client = self.start()
        client.process.stdout.close()
        client.process.stdin.write(b'{"type":"execute","id":"x","code":"1"}\n')
        self.assertEqual(client.exit_code(), 1)

    def test_a_host_that_is_gone_ends_a_cell_that_never_does(self) -> None:
        client = self.start()
        client.start("from rlm.repl import emit\nemit({'at': 1})\nwhile True: pass")
        client.until_mark()
        client.process.stdin.close()
        client.process.stdout.close()
        self.assertEqual(client.exit_code(), 1)

    def test_forked_child_that_asks_the_host_gets_an_error(self) -> None:
        client = self.start()
        code = (
            "import os\nfrom rlm.repl import host_request_sync\nos.close(0)\npid = os.fork()\nif pid == 0:\n"
            "    try: host_request_sync({})\n    except ConnectionError as exc: os._exit(7 if 'forked' in str(exc) else 8)\n"
            "os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"
        )
        self.assertEqual(client.value(code), "7")

    def test_forked_child_that_comes_to_the_cells_end_leaves_and_its_text_is_raw(self) -> None:
        client = self.start()
        ident = client.start("import os\nprint('before')\npid = os.fork()\nif pid == 0: print('child')\nelse: code = os.waitpid(pid, 0)[1]\nNone")
        frames = client.until_done(ident)
        self.assertEqual(texts(frames, "stdout", ident), "before\n")
        self.assertEqual(texts(frames, "stdout", None), "child\n")
        self.assertEqual(client.value("code"), "0")
        self.assertEqual(client.value("pid = os.fork()\nif pid == 0: raise SystemExit(9)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])"), "9")
