"""The end of a session."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.client import RuntimeTest, events


class Shutdown(RuntimeTest):
    def test_b125_with_an_id(self) -> None:
        client = self.start()
        client.run("import atexit\natexit.register(print, 'too late')\nNone")
        client.send({"type": "shutdown", "id": "end"})
        self.assertEqual(client.until_done("end"), [{"event": "done", "id": "end", "status": "ok"}])
        self.assertEqual(client.exit_code(), 0)
        self.assertEqual(client.rest(), [])

    def test_b126_without_an_id_and_end_of_input(self) -> None:
        for request in ([{"type": "shutdown"}], []):
            client = self.start()
            client.send(*request)
            self.assertEqual(client.rest(), [])
            self.assertEqual(client.exit_code(), 0)

    def test_b127_queued_cells_come_first(self) -> None:
        for request in ([{"type": "shutdown", "id": "end"}], []):
            client = self.start()
            client.send({"type": "execute", "id": "a", "code": "1"}, {"type": "execute", "id": "b", "code": "2"}, *request)
            frames = client.rest()
            self.assertEqual([f["text"] for f in frames if f["event"] == "result"], ["1", "2"])
            self.assertEqual([f["id"] for f in frames if f["event"] == "done"], ["a", "b", *(r["id"] for r in request)])
            self.assertEqual(client.exit_code(), 0)

    def test_b128_a_cell_that_waits_for_the_host(self) -> None:
        for call in ("await rlm.repl.host_request({})", "rlm.repl.host_request_sync({})"):
            for request in ([{"type": "shutdown", "id": "end"}], []):
                client = self.start()
                ident = client.start(f"import rlm.repl\n{call}")
                client.frame()
                client.send(*request)
                frames = client.rest()
                self.assertEqual(events(frames), ["error", "done", *("done" for _ in request)])
                self.assert_error(frames[:2], "ConnectionError")
                self.assertEqual(frames[1]["id"], ident)
                self.assertEqual(client.exit_code(), 0)

    def test_b129_tasks_and_threads_do_not_hold_it(self) -> None:
        client = self.start()
        client.run(
            "import asyncio, threading\nt = asyncio.create_task(asyncio.sleep(1e9))\n"
            "threading.Thread(target=threading.Event().wait, daemon=True).start()\nthreading.Thread(target=threading.Event().wait).start()"
        )
        client.rest()
        self.assertEqual(client.exit_code(), 0)

    def test_an_interrupt_does_not_call_it_off(self) -> None:
        for target in ({}, {"id": "end"}):
            client = self.start()
            client.send({"type": "shutdown", "id": "end"}, {"type": "interrupt", **target})
            self.assertEqual(client.until_done("end"), [{"event": "done", "id": "end", "status": "ok"}])
            self.assertEqual(client.exit_code(), 0)

    def test_the_interpreter_ends_in_the_ordinary_way(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            client = self.start()
            client.run(f"import atexit, pathlib\nf = open({folder!r} + '/kept', 'w'); f.write('buffered')\natexit.register(pathlib.Path({folder!r}, 'exit').touch)\nNone")
            client.rest()
            self.assertEqual(client.exit_code(), 0)
            self.assertEqual(Path(folder, "kept").read_text(), "buffered")
            self.assertTrue(Path(folder, "exit").exists())
