"""rlm.bash: commands beside the cells."""

from __future__ import annotations

import os
import select
import signal

from tests.client import DEADLINE, MARK, Client, RuntimeTest, events

IMPORT = "import rlm, asyncio\n"
# Two processes of one group, both named by their pids before the mark.
GROUP = "import time, re\nh = rlm.bash('sleep 1000 & echo $!; wait')\nwhile not (line := h.output()).endswith('\\n'): time.sleep(0.001)\npids = [h.pid, int(line)]\n"


class Bash(RuntimeTest):
    def group(self, client: Client) -> list[int]:
        """Start a command with a child of its own and return descriptors of both processes."""
        client.run(IMPORT + MARK + GROUP + "mark({'pids': pids})")
        return self.watched(client.lines[-2])

    def watched(self, line: bytes) -> list[int]:
        """Descriptors of the processes that a display names."""
        import json

        fds = [os.pidfd_open(pid) for pid in json.loads(line)["data"]["pids"]]
        for fd in fds:
            self.addCleanup(os.close, fd)
        return fds

    def assert_gone(self, fds: list[int]) -> None:
        """The processes end within the deadline."""
        for fd in fds:
            self.assertTrue(select.select([fd], [], [], DEADLINE)[0])

    def test_b121_result_and_no_frames(self) -> None:
        client = self.start()
        frames = client.run(IMPORT + "r = await rlm.bash('echo out; echo err >&2; exit 3')\nr.output, r.exit_code, 0 < r.duration < 20")
        self.assertEqual(events(frames), ["result", "done"])
        self.assertEqual(frames[0]["text"], "('out\\nerr\\n', 3, True)")
        self.assertEqual(client.value("(await rlm.bash('cat; printf \"é\\\\xff\"')).output"), "'é\ufffd'")
        self.assertEqual(client.value("(await rlm.bash('kill -9 $$')).exit_code"), "-9")
        self.assertEqual(client.value("len((await rlm.bash('head -c 3000000 /dev/zero')).output)"), "3000000")
        self.assert_error(client.run("rlm.bash(['ls'])"), "TypeError")

    def test_b34_a_live_handle_is_kept(self) -> None:
        client = self.start()
        self.assertRegex(client.value(IMPORT + "h = rlm.bash('read x < /dev/stdin; sleep 1000')\nh"), r"^<bash \d+, running: '.*'>$")
        self.assertEqual(client.value("_ is h, h.running"), "(True, True)")
        self.assertIn("TypeError", client.value("import pickle\ntry: pickle.dumps(h)\nexcept TypeError as exc: said = repr(exc)\nsaid"))
        client.run("h.kill()")
        self.assertEqual(client.value("(await h).exit_code, h.running, (await h) is (await h)"), "(-9, False, True)")
        self.assertEqual(client.value("h"), client.value("await h"))

    def test_several_wait_for_one(self) -> None:
        client = self.start()
        code = "h = rlm.bash('echo done')\na, b = await asyncio.gather(h, h)\na is b"
        self.assertEqual(client.value(IMPORT + code), "True")
        self.assertEqual(client.value("import threading\ngot = []\nt = threading.Thread(target=lambda: got.append(asyncio.run(h._ended()).output))\nt.start(); t.join(); got"), "['done\\n']")

    def test_b122_live_output_and_kill(self) -> None:
        client = self.start()
        fds = self.group(client)
        client.run("h.kill(); h.kill()")
        self.assertEqual(client.value("r = await h\nr.exit_code, r.output == line"), "(-9, True)")
        self.assert_gone(fds)
        self.assert_ok(client.run("h.kill()"))

    def test_what_runs_on_behind_its_shell(self) -> None:
        client = self.start()
        client.run(IMPORT + MARK + "r = await rlm.bash('sleep 1000 & echo $!')\nmark({'pids': [int(r.output)]})")
        fds = self.watched(client.lines[-2])
        self.assertEqual(select.select(fds, [], [], 0)[0], [])
        client.rest()
        self.assertEqual(client.exit_code(), 0)
        self.assert_gone(fds)

    def test_b123_shutdown_kills_the_groups(self) -> None:
        client = self.start()
        fds = self.group(client)
        client.send({"type": "shutdown", "id": "end"})
        self.assertEqual(client.until_done("end"), [{"event": "done", "id": "end", "status": "ok"}])
        self.assert_gone(fds)
        self.assertEqual(client.exit_code(), 0)

    def test_b124_the_end_of_the_input_too(self) -> None:
        client = self.start()
        fds = self.group(client)
        self.assertEqual(client.rest(), [])
        self.assertEqual(client.exit_code(), 0)
        self.assert_gone(fds)

    def test_a_host_that_is_gone(self) -> None:
        client = self.start()
        fds = self.group(client)
        client.start(MARK + "mark({'at': 1})\nwhile True: pass")
        client.until_mark()
        client.process.stdin.close()
        client.process.stdout.close()
        self.assertEqual(client.exit_code(), 1)
        self.assert_gone(fds)

    def test_the_lifeline_holds_the_groups_too(self) -> None:
        for options, code in (({"start_new_session": True}, -signal.SIGKILL), ({}, 1)):
            read_end, write_end = os.pipe()
            client = self.start(env={"RLM_LIFELINE_FD": str(read_end)}, pass_fds=(read_end,), **options)
            os.close(read_end)
            fds = self.group(client)
            client.start(MARK + "mark({'at': 1})\nwhile True: pass")
            client.until_mark()
            os.close(write_end)
            self.assertEqual(client.exit_code(), code)
            self.assert_gone(fds)

    def test_the_lifeline_outlasts_the_runtime(self) -> None:
        read_end, write_end = os.pipe()
        client = self.start(env={"RLM_LIFELINE_FD": str(read_end)}, pass_fds=(read_end,), start_new_session=True)
        os.close(read_end)
        fds = self.group(client)
        client.process.kill()
        client.exit_code()
        self.assertEqual(select.select(fds, [], [], 0)[0], [])
        os.close(write_end)
        self.assert_gone(fds)

    def test_an_interrupt_ends_the_wait_and_not_the_command(self) -> None:
        client = self.start()
        ident = client.start(IMPORT + MARK + "h = rlm.bash('sleep 1000')\nasyncio.get_running_loop().call_soon(mark, {'at': 1})\nawait h")
        client.until_mark()
        client.interrupt(ident)
        self.assert_error(client.until_done(ident), "KeyboardInterrupt")
        self.assertEqual(client.value("h.running"), "True")
        client.rest()
        self.assertEqual(client.exit_code(), 0)

    def test_long_output_keeps_both_ends(self) -> None:
        client = self.start()
        code = "from rlm import _bash\no = _bash._Output()\nfor n in range(300): o.add(b'%03d' % n + b'.' * 99_997)\nt = o.text()\n"
        self.assertEqual(client.value(code + "t[:3], t.count('13222784 bytes left out'), t[-99_997:] == '.' * 99_997, len(t) < 17_000_000"), "('000', 1, True, True)")

    def test_only_in_a_session(self) -> None:
        import subprocess
        import sys

        from tests.client import SOURCES

        done = subprocess.run([sys.executable, "-c", "import rlm\nrlm.bash('true')"], cwd=SOURCES, capture_output=True, text=True, timeout=DEADLINE)
        self.assertIn("bash() works in a session only", done.stderr)
