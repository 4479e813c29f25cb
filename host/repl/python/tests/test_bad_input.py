"""Lines that are no requests."""

from __future__ import annotations

import json

from tests.client import MARK, RuntimeTest, events


class BadInput(RuntimeTest):
    def assert_protocol_error(self, frame: dict) -> None:
        self.assertEqual((frame["event"], frame["id"], frame["ename"]), ("error", None, "ProtocolError"))
        self.assertIsInstance(frame["evalue"], str)
        self.assertTrue(all(isinstance(line, str) for line in frame["traceback"]))

    def refused(self, *lines: bytes) -> None:
        """Each line is answered by one ProtocolError and nothing else."""
        client = self.start()
        for line in lines:
            client.write(line + b"\n")
            self.assert_protocol_error(client.frame())
        self.assert_alive(client)

    def test_b131_not_an_object(self) -> None:
        self.refused(b"{not json", b"[1]", b'"text"', b"42", b"null", b"{}", b'{"type":"execute","id":"x","co', b"\xef\xbb\xbf{}")

    def test_b132_unknown_type(self) -> None:
        client = self.start()
        for kind in ("nope", "EXECUTE", ""):
            client.send({"type": kind, "id": kind + "!"})
            frames = client.until_done(kind + "!")
            self.assertEqual(events(frames), ["error", "done"])
            self.assert_protocol_error(frames[0])
            self.assertEqual(frames[1], {"event": "done", "id": kind + "!", "status": "error"})
        client.send({"type": "nope"})
        self.assert_protocol_error(client.frame())
        self.assert_alive(client)

    def test_b132_unknown_type_keeps_its_place(self) -> None:
        client = self.start()
        client.send({"type": "execute", "id": "a", "code": "1"}, {"type": "nope", "id": "b"}, {"type": "execute", "id": "c", "code": "2"})
        self.assertEqual([f["id"] for f in client.until_done("c")], ["a", "a", None, "b", "c", "c"])

    def test_b133_missing_and_wrong_fields(self) -> None:
        bad = (
            {"type": "execute", "id": "x"}, {"type": "execute", "code": "ran = 1"}, {"type": "execute", "id": 5, "code": "ran = 1"},
            {"type": "execute", "id": "x", "code": ["ran = 1"]}, {"type": "execute", "id": None, "code": "ran = 1"},
            {"type": "snapshot", "id": "x", "path": "p"}, {"type": "restore", "id": "x"}, {"type": "list_names"},
            {"type": "signatures", "id": "x"}, {"type": "signatures", "id": "x", "skills": "json"}, {"type": "signatures", "id": "x", "skills": [1]},
            {"type": "shutdown", "id": 7}, {"type": "host_reply", "id": "x"}, {"type": "host_reply", "id": "x", "data": []},
        )  # fmt: skip
        self.refused(*(json.dumps(request).encode() for request in bad))
        client = self.start()
        client.send(*bad)
        for _ in bad:
            self.assert_protocol_error(client.frame())
        self.assertEqual(client.value("'ran' in globals()"), "False")

    def test_b134_absurd_types_and_depth(self) -> None:
        self.refused(b'{"type": []}', b'{"type": {"x": 1}}', b"[" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000)

    def test_b135_bytes_and_line_ends(self) -> None:
        self.refused(b'{"type":"execute","id":"x","code":"\xff\xfe"}', b"\x80")
        client = self.start()
        client.write(b"\n\r\n  \n" + b'{"type":"execute","id":"x","code":"a = 1\\r\\nif a:\\r\\n    b = 2\\r\\na + b"}\r\n')
        self.assertEqual([f.get("text") for f in client.until_done("x")], ["3", None])

    def test_b136_a_long_line(self) -> None:
        client = self.start()
        self.assertEqual(client.value(f"len('{'x' * 8_000_000}')"), "8000000")

    def test_b137_in_pieces_and_unknown_fields(self) -> None:
        client = self.start()
        line = json.dumps({"type": "execute", "id": "é", "code": "'é😀'", "extra": {"a": 1}, "silent": True}, ensure_ascii=False).encode() + b"\n"
        for at in range(0, len(line), 7):
            client.write(line[at : at + 7])
        self.assertEqual(client.until_done("é")[0]["text"], "'é😀'")

    def test_a_last_line_without_an_end(self) -> None:
        client = self.start()
        client.write(b'{"type":"execute","id":"x","code":"7"}')
        self.assertEqual([f.get("text") for f in client.rest()], ["7", None])

    def test_b138_many(self) -> None:
        client = self.start()
        client.write(b"{bad\n" * 2_000 + b'{"type":"execute","id":"x","code":"7"}\n')
        frames = client.until_done("x")
        self.assertEqual(sum(f.get("ename") == "ProtocolError" for f in frames), 2_000)
        self.assertEqual(len(frames), 2_002)

    def test_b140_interrupt_with_a_wrong_id(self) -> None:
        client = self.start()
        ident = client.start(MARK + "import rlm.repl\nmark({'at': 1})\nr = await rlm.repl.host_request({})\nfor i in range(100_000): pass")
        client.until_mark()
        asked = client.frame()
        client.send({"type": "interrupt", "id": 5})
        self.assert_protocol_error(client.frame())
        client.send({"type": "host_reply", "id": asked["id"], "data": {}})
        self.assert_ok(client.until_done(ident))
