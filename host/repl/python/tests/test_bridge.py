"""Displays, requests to the host, and the public module outside of a session."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.client import DEADLINE, MARK, SOURCES, RuntimeTest, events

ASK = "import asyncio, threading\nfrom rlm.repl import host_request as ask, host_request_sync as ask_sync, post, current_cell, emit as mark\n"


class Display(RuntimeTest):
    def test_b83_displays_verbatim_and_in_order(self) -> None:
        client = self.start()
        first = {"text/plain": "é😀", "application/json": {"a": [1, 2.5, None, True, {"b": ""}]}}
        ident = client.start(f"from rlm.repl import emit\nimport json\nemit(json.loads({json.dumps(first)!r}))\nfor i in range(5): emit({{'n': i}})")
        frames = client.until_done(ident)
        self.assertEqual([f for f in frames[:-1]], [{"event": "display", "id": ident, "data": d} for d in (first, *({"n": i} for i in range(5)))])

    def test_b84_what_is_no_display(self) -> None:
        client = self.start()
        client.run("from rlm.repl import emit\nloop = {}\nloop['x'] = loop\ndeep = {}\nfor i in range(100_000): deep = {'d': deep}")
        for data in ("{}", "[]", "None", "'text'", "{1: 2}", "{'x': object()}", "{'x': {1}}", "{'x': float('nan')}", "loop", "deep"):
            frames = client.run(f"emit({data})")
            self.assertEqual(events(frames), ["error", "done"])
            self.assertIn(frames[0]["ename"], ("TypeError", "ValueError"), data)
            self.assertIn("emit()", frames[0]["evalue"])
        self.assert_alive(client)

    def test_b86_owner_of_a_display(self) -> None:
        client = self.start()
        ident = client.start(ASK + "t = threading.Thread(target=mark, args=({'by': 'thread'},))\nt.start(); t.join()\nasync def late():\n    await go.wait()\n    mark({'by': 'task'})\ngo = asyncio.Event()\nt = asyncio.create_task(late())")
        self.assertEqual(client.until_done(ident)[0], {"event": "display", "id": None, "data": {"by": "thread"}})
        client.run("go.set()")
        self.assertEqual(client.frame(), {"event": "display", "id": ident, "data": {"by": "task"}})


class Bridge(RuntimeTest):
    def reply(self, client, request: dict, data: dict) -> None:
        client.send({"type": "host_reply", "id": request["id"], "data": data})

    def test_b87_reply_verbatim(self) -> None:
        client = self.start()
        client.run(ASK)
        for call in ("await ask({'q': ['é', 1]})", "ask_sync({'q': ['é', 1]})"):
            for data in ({"status": "ok", "result": {"n": [1, None]}}, {"status": "error", "error": "x"}, {}, {"any": "shape"}):
                ident = client.start(call)
                request = client.frame()
                self.assertEqual((request["event"], request["data"], type(request["id"])), ("host_request", {"q": ["é", 1]}, str))
                self.reply(client, request, data)
                self.assertEqual(client.until_done(ident)[0]["text"], repr(data))

    def test_a_reply_that_python_cannot_read(self) -> None:
        client = self.start()
        client.run(ASK)
        for value, why in (("[" * 100_000 + "]" * 100_000, "too deeply"), ("1" * 5000, "not JSON")):
            for call in ("await ask({})", "ask_sync({})"):
                ident = client.start(call)
                request = client.frame()
                client.write(f'{{"type":"host_reply","id":"{request["id"]}","data":{{"status":"ok","result":{value}}}}}\n'.encode())
                self.assertEqual(client.frame()["ename"], "ProtocolError")
                error = client.until_done(ident)[0]
                self.assertEqual((error["event"], error["ename"]), ("error", "ValueError"))
                self.assertIn("the answer cannot be read", error["evalue"])
                self.assertIn(why, error["evalue"])
        self.assert_alive(client)

    def test_b88_five_at_once(self) -> None:
        client = self.start()
        ident = client.start(ASK + "await asyncio.gather(*(ask({'n': n}) for n in range(5)))")
        requests = [client.frame() for _ in range(5)]
        self.assertEqual(len({r["id"] for r in requests}), 5)
        for request in reversed(requests):
            self.reply(client, request, {"for": request["data"]["n"]})
        self.assertEqual(client.until_done(ident)[0]["text"], repr([{"for": n} for n in range(5)]))

    def test_b89_unknown_replies_and_queued_cells(self) -> None:
        client = self.start()
        self.reply(client, {"id": "nobody"}, {})
        one = client.start(ASK + "await ask({})")
        request = client.frame()
        two = client.start("'two'")
        self.reply(client, request, {"r": 1})
        self.assertEqual(client.until_done(one)[0]["text"], "{'r': 1}")
        self.reply(client, request, {"r": "again"})
        self.assertEqual(client.until_done(two)[0]["text"], "'two'")

    def test_b91_background_requests(self) -> None:
        client = self.start()
        client.run(ASK + "async def work():\n    got.append(await ask({'n': 1}))\n    got.append(await ask({'n': 2}))\n    mark({'at': 'end'})\n    return got\ngot = []\nt = asyncio.create_task(work())")
        first = client.frame()
        self.reply(client, first, {"r": 1})
        second = client.until(event="host_request")[-1]
        waiting = client.start("await t")
        self.reply(client, second, {"r": 2})
        frames = client.until_done(waiting)
        self.assertEqual([f.get("text") for f in frames if f["event"] == "result"], ["[{'r': 1}, {'r': 2}]"])

    def test_b92_interrupt_ends_the_wait(self) -> None:
        client = self.start()
        client.run(ASK)
        for call in ("await ask({})", "ask_sync({})"):
            ident = client.start(call)
            request = client.frame()
            client.interrupt(ident)
            frames = client.until_done(ident)
            self.assertEqual(events(frames), ["error", "done"])
            self.assert_error(frames, "KeyboardInterrupt")
            self.reply(client, request, {"late": True})
            self.assert_alive(client)
        client.run("from rlm import _runtime")
        self.assertEqual(client.value("len(_runtime.active.bridge._waiting)"), "0")

    def test_b93_is_active(self) -> None:
        client = self.start()
        self.assertEqual(client.value("from rlm.repl import is_active\nis_active()"), "True")
        code = "import rlm.repl as r\nprint(r.is_active())\ntry: r.emit({'a': 1})\nexcept RuntimeError as e: print(e)"
        done = subprocess.run([sys.executable, "-S", "-c", code], env={**os.environ, "PYTHONPATH": SOURCES}, capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.stdout.splitlines()[0], "False", done.stderr)
        self.assertIn("emit()", done.stdout.splitlines()[1])

    def test_data_that_is_no_json_sends_nothing(self) -> None:
        client = self.start()
        client.run(ASK)
        for call in ("await ask([])", "ask_sync({'x': object()})", "post('text')"):
            frames = client.run(call)
            self.assertEqual(events(frames), ["error", "done"])
            self.assert_error(frames, "TypeError")

    def test_blocking_requests_from_threads(self) -> None:
        client = self.start()
        ident = client.start(ASK + "got = {}\ndef work(n): got[n] = ask_sync({'n': n, 'cell': current_cell()})\nts = [threading.Thread(target=work, args=(n,)) for n in range(3)]\nfor t in ts: t.start()\nfor t in ts: t.join()\nsorted(got.items())")
        requests = sorted((client.frame() for _ in range(3)), key=lambda r: r["data"]["n"])
        self.assertEqual([r["data"] for r in requests], [{"n": n, "cell": None} for n in range(3)])
        for request in reversed(requests):
            self.reply(client, request, {"r": request["data"]["n"]})
        self.assertEqual(client.until_done(ident)[0]["text"], "[(0, {'r': 0}), (1, {'r': 1}), (2, {'r': 2})]")

    def test_blocking_request_ships_prints_first(self) -> None:
        client = self.start()
        client.start(ASK + "print('first')\nask_sync({})")
        self.assertEqual(events([client.frame(), client.frame()]), ["stdout", "host_request"])

    def test_request_on_the_loop_of_a_thread(self) -> None:
        client = self.start()
        ident = client.start(ASK + "got = []\nt = threading.Thread(target=lambda: got.append(asyncio.run(ask({'q': 1}))))\nt.start(); t.join(); got")
        self.reply(client, client.frame(), {"r": 1})
        self.assertEqual(client.until_done(ident)[0]["text"], "[{'r': 1}]")

    def test_post_expects_no_reply(self) -> None:
        client = self.start()
        frames = client.run(ASK + "post({'op': 'cancel', 'call': 3}); post({'op': 'cancel', 'call': 4})")
        self.assertEqual(events(frames), ["host_request", "host_request", "done"])
        self.assertEqual([f["data"]["call"] for f in frames[:2]], [3, 4])
        self.assertNotEqual(frames[0]["id"], frames[1]["id"])

    def test_current_cell(self) -> None:
        client = self.start()
        ident = client.start(ASK + "import contextlib\nasync def late(): return current_cell()\nt = asyncio.create_task(late())\ncurrent_cell()")
        self.assertEqual(client.until_done(ident)[0]["text"], repr(ident))
        self.assertEqual(client.value("await t"), repr(ident))

    def test_current_cell_in_to_thread_is_the_cells(self) -> None:
        client = self.start()
        ident = client.start(ASK + "await asyncio.to_thread(current_cell)")
        self.assertEqual(client.until_done(ident)[0]["text"], repr(ident))

    def test_public_functions_are_those_of_the_running_runtime(self) -> None:
        client = self.start()
        self.assertEqual(client.value(MARK + "import rlm.repl, sys\nrlm.repl.emit is mark, rlm.repl.__name__"), "(True, 'rlm.repl')")
