"""Interrupts where no signal can be sent between threads, as on Windows: the code's other path, chosen by its switch."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.client import MARK, Client, RuntimeTest, events

BOOT = "from rlm import _runtime\n_runtime.active.interrupts._has_signals = False\n"


class Fallback(RuntimeTest):
    def without_signals(self) -> Client:
        """A runtime that must do without ``signal.pthread_kill``."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "nosignals.py").write_text(BOOT)
        return self.start(env={"RLM_BOOTSTRAP": "nosignals"}, path=(folder.name,))

    def test_a_suspended_cell_is_interrupted(self) -> None:
        client = self.without_signals()
        for by_id in (True, False):
            ident = client.start(MARK + "import asyncio\nasyncio.get_running_loop().call_soon(mark, {'at': 1})\nawait asyncio.sleep(1e9)")
            client.until_mark()
            client.interrupt(ident if by_id else None)
            frames = client.until_done(ident)
            self.assertEqual(events(frames), ["error", "done"])
            self.assertIn("line 4, in <module>", "".join(self.assert_error(frames, "KeyboardInterrupt")["traceback"]))
            self.assert_alive(client)

    def test_a_parked_interrupt(self) -> None:
        client = self.without_signals()
        client.send({"type": "execute", "id": "x", "code": "ran = 1"}, {"type": "interrupt", "id": "x"})
        self.assert_error(client.until_done("x"), "KeyboardInterrupt")
        self.assertEqual(client.value("'ran' in globals()"), "False")

    def test_a_blocked_cell_ends_by_itself_and_the_next_is_not_hit(self) -> None:
        client = self.without_signals()
        ident = client.start(MARK + "import rlm.repl\nmark({'at': 1})\nrlm.repl.host_request_sync({})\nend = 1")
        client.until_mark()
        asked = client.frame()
        client.interrupt(ident)
        client.send({"type": "host_reply", "id": asked["id"], "data": {}})
        self.assert_error(client.until_done(ident), "KeyboardInterrupt")
        self.assertEqual(client.value("end"), "1")
        self.assert_alive(client)

    def test_an_idle_runtime_is_not_hit(self) -> None:
        client = self.without_signals()
        client.interrupt()
        self.assert_alive(client)
