"""Interrupts: what they end, and what they leave alone."""

from __future__ import annotations

import os
import signal

from tests.client import MARK, Client, RuntimeTest, events, texts

SUSPEND = MARK + "import asyncio, time\nasyncio.get_running_loop().call_soon(mark, {'at': 1})\n"


class Interrupts(RuntimeTest):
    def interrupted(self, client: Client, code: str, *, by_id: bool = True) -> list[dict]:
        """Run ``code``, interrupt it at its first mark, and return the frames after that."""
        ident = client.start(code)
        client.until_mark()
        client.interrupt(ident if by_id else None)
        return client.until_done(ident)

    def assert_interrupted(self, frames: list[dict]) -> str:
        """The only frames are the error and done; returns the traceback."""
        self.assertEqual(events(frames), ["error", "done"], frames)
        return "".join(self.assert_error(frames, "KeyboardInterrupt")["traceback"])

    def test_b65_busy_loop(self) -> None:
        client = self.start()
        text = self.assert_interrupted(self.interrupted(client, MARK + "mark({'at': 1})\nwhile True: pass", by_id=False))
        self.assertEqual([line for line in text.splitlines() if "File" in line], ['  File "<cell-1>", line 3, in <module>'])
        self.assert_alive(client)

    def test_b66_sleeping_loop(self) -> None:
        client = self.start()
        text = self.assert_interrupted(self.interrupted(client, MARK + "import time\nmark({'at': 1})\nwhile True: time.sleep(0.05)"))
        self.assertIn('"<cell-1>", line 4', text)
        self.assert_alive(client)

    def test_b67_suspended_at_an_await(self) -> None:
        client = self.start()
        text = self.assert_interrupted(self.interrupted(client, SUSPEND + "async def f():\n    await asyncio.sleep(1e9)\nawait f()"))
        self.assertIn('"<cell-1>", line 6, in <module>', text)
        self.assertIn('"<cell-1>", line 5, in f', text)
        self.assert_alive(client)

    def test_b68_blocking_calls(self) -> None:
        client = self.start()
        head = MARK + "import selectors, threading, queue, subprocess, socket\na, b = socket.socketpair()\nmark({'at': 1})\n"
        for call in ("selectors.DefaultSelector().select()", "threading.Event().wait()", "queue.Queue().get()", "a.recv(1)", "subprocess.run(['cat'], stdin=a)"):
            self.assert_interrupted(self.interrupted(client, head + call))
            self.assert_alive(client)

    def test_b69_parked(self) -> None:
        client = self.start()
        for n, code in enumerate(("import asyncio\nawait asyncio.sleep(1e9)", "while True: pass", "5")):
            for target in ({}, {"id": f"x{n}"}):
                client.send({"type": "execute", "id": f"x{n}", "code": code}, {"type": "interrupt", **target})
                self.assert_interrupted(client.until_done(f"x{n}"))
        self.assert_alive(client)

    def test_b71_without_id_only_the_running_one(self) -> None:
        client = self.start()
        a = client.start(MARK + "mark({'at': 1})\nwhile True: pass")
        b = client.start("'b'")
        client.until_mark()
        client.interrupt()
        self.assert_interrupted(client.until_done(a))
        self.assertEqual(client.until_done(b)[0]["text"], "'b'")

    def test_with_id_only_the_queued_one(self) -> None:
        client = self.start()
        a = client.start(MARK + "from rlm.repl import host_request as ask\nmark({'at': 1})\nr = await ask({})")
        b, c = client.start("'b'"), client.start("'c'")
        client.until_mark()
        asked = client.frame()
        client.interrupt(b)
        client.send({"type": "host_reply", "id": asked["id"], "data": {}})
        self.assert_ok(client.until_done(a))
        self.assert_interrupted(client.until_done(b))
        self.assertEqual(client.until_done(c)[0]["text"], "'c'")

    def test_b72_finished_and_unknown_ids(self) -> None:
        client = self.start()
        old = client.start("1")
        client.until_done(old)
        a = client.start(MARK + "from rlm.repl import host_request as ask\nmark({'at': 1})\nr = await ask({})\nfor i in range(100_000): pass")
        client.until_mark()
        asked = client.frame()
        client.interrupt(old)
        client.interrupt("never")
        client.send({"type": "host_reply", "id": asked["id"], "data": {}})
        self.assert_ok(client.until_done(a))

    def test_b73_nothing_running(self) -> None:
        client = self.start()
        client.run("1")
        client.interrupt()
        os.kill(client.process.pid, signal.SIGINT)
        client.send({"type": "host_reply", "id": "none", "data": {}})
        self.assert_alive(client)
        self.assert_ok(client.run("for i in range(100_000): pass"))

    def test_sigint_from_outside_interrupts_the_cell(self) -> None:
        client = self.start()
        for code in ("while True: pass", "await asyncio.sleep(1e9)"):
            ident = client.start(SUSPEND.replace("asyncio.get_running_loop().call_soon(mark, {'at': 1})", "mark({'at': 1})") + code)
            client.until_mark()
            os.kill(client.process.pid, signal.SIGINT)
            self.assert_interrupted(client.until_done(ident))
            self.assert_alive(client)

    def test_b74_inside_repr(self) -> None:
        client = self.start()
        for wait in ("pass", "time.sleep(0.05)"):
            frames = self.interrupted(client, MARK + f"import time\nclass R:\n    def __repr__(self):\n        mark({{'at': 1}})\n        while True: {wait}\nR()")
            self.assert_interrupted(frames)
            self.assert_alive(client)

    def test_inside_the_text_of_an_error(self) -> None:
        client = self.start()
        frames = self.interrupted(client, MARK + "class E(Exception):\n    def __str__(self):\n        mark({'at': 1})\n        while True: pass\nraise E")
        self.assertEqual((events(frames), frames[0]["ename"]), (["error", "done"], "KeyboardInterrupt"))
        self.assert_alive(client)

    def test_b76_background_task_that_blocks(self) -> None:
        client = self.start()
        code = MARK + "import asyncio, time\nasync def block():\n    mark({'at': 1})\n    while True: time.sleep(0.01)\nt = asyncio.create_task(block())\nawait asyncio.sleep(1e9)"
        self.assert_interrupted(self.interrupted(client, code))
        self.assertEqual(client.value("t.done(), type(t.exception()).__name__"), "(True, 'KeyboardInterrupt')")

    def test_loop_callback_that_blocks(self) -> None:
        client = self.start()
        code = MARK + "import asyncio, time\ndef block():\n    mark({'at': 1})\n    while True: time.sleep(0.01)\nasyncio.get_running_loop().call_soon(block)\nawait asyncio.sleep(1e9)"
        self.assert_interrupted(self.interrupted(client, code))
        self.assert_alive(client)

    def test_b77_cells_that_catch_or_clean_up(self) -> None:
        client = self.start()
        ident = client.start(MARK + "import time\ntry:\n    mark({'at': 1})\n    while True: time.sleep(0.01)\nexcept KeyboardInterrupt: print('caught')")
        client.until_mark()
        client.interrupt(ident)
        frames = client.until_done(ident)
        self.assertEqual((texts(frames, "stdout", ident), frames[-1]["status"]), ("caught\n", "ok"))
        for code in ("mark({'at': 1})\n    while True: time.sleep(0.01)", "asyncio.get_running_loop().call_soon(mark, {'at': 1})\n    await asyncio.sleep(1e9)"):
            ident = client.start(MARK + f"import time, asyncio\ntry:\n    {code}\nfinally: print('cleanup')")
            client.until_mark()
            client.interrupt(ident)
            frames = client.until_done(ident)
            self.assertEqual(events(frames), ["stdout", "error", "done"])
            self.assertEqual(texts(frames, "stdout", ident), "cleanup\n")
            self.assert_error(frames, "KeyboardInterrupt")

    def test_caught_and_interrupted_again(self) -> None:
        client = self.start()
        ident = client.start(MARK + "import time\nfor n in (1, 2):\n    try:\n        mark({'at': n})\n        while True: time.sleep(0.01)\n    except KeyboardInterrupt: pass\nmark({'at': 3})\nwhile True: time.sleep(0.01)")
        for _ in range(3):
            client.until_mark()
            client.interrupt(ident)
        self.assert_error(client.until_done(ident), "KeyboardInterrupt")

    def test_b80_other_tasks_live_on(self) -> None:
        client = self.start()
        client.run("import asyncio\nn = 0\nasync def count():\n    global n\n    while True:\n        n += 1\n        await asyncio.sleep(0.01)\nt = asyncio.create_task(count())")
        for code in (SUSPEND + "await asyncio.sleep(1e9)", MARK + "import time\nmark({'at': 1})\nwhile True: time.sleep(0.01)"):
            self.assert_interrupted(self.interrupted(client, code))
            self.assertEqual(client.value("was = n\nwhile n < was + 3: await asyncio.sleep(0.01)\nt.done()"), "False")

    def test_b82_three_for_one(self) -> None:
        client = self.start()
        for code in (MARK + "mark({'at': 1})\nwhile True: pass", SUSPEND + "await asyncio.sleep(1e9)"):
            for target in ({}, {"id": "x"}):
                client.send({"type": "execute", "id": "x", "code": code})
                client.until_mark()
                if target:
                    client.send(*[{"type": "interrupt", **target}] * 3)
                else:
                    client.send(*[{"type": "interrupt", "id": "x"}] * 3, {"type": "host_reply", "id": "none", "data": {}})
                self.assert_interrupted(client.until_done("x"))
                self.assert_alive(client)
                self.assert_ok(client.run("for i in range(200_000): pass"))

    def test_a_loop_of_prints(self) -> None:
        client = self.start()
        for _ in range(5):
            ident = client.start(MARK + "mark({'at': 1})\nwhile True: print('x')")
            client.until_mark()
            client.interrupt(ident)
            frames = client.until_done(ident)
            self.assert_error(frames, "KeyboardInterrupt")
            self.assertLessEqual(set(texts(frames, "stdout", ident)), {"x", "\n"})
        self.assert_alive(client)

    def test_a_cell_that_takes_sigint_for_itself_does_so_for_itself_only(self) -> None:
        client = self.start()
        client.run("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nNone")
        self.assert_interrupted(self.interrupted(client, MARK + "mark({'at': 1})\nwhile True: pass"))
