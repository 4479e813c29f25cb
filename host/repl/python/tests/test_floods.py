from __future__ import annotations

import fcntl
import os
import struct
import termios
import time
import unittest
from pathlib import Path

from tests.client import DEADLINE, Client, RuntimeTest, texts


class Floods(RuntimeTest):
    def test_ten_thousand_bad_lines_are_ten_thousand_errors(self) -> None:
        client = self.start()
        client.write(b"{bad\n" * 10_000 + b'{"type":"execute","id":"x","code":"7"}\n')
        frames = client.until_done("x")
        self.assertEqual(sum(f.get("ename") == "ProtocolError" for f in frames), 10_000)
        self.assertEqual(frames[-2:], [{"event": "result", "id": "x", "text": "7"}, {"event": "done", "id": "x", "status": "ok"}])

    def test_a_client_that_never_reads_costs_no_memory_and_loses_nothing(self) -> None:
        client = self.start()
        ident = client.start("for i in range(400_000): print('%018d' % i)")  # 7.6 MB
        self.assertLess(self.wait_until_full(client), 64 << 20, "what nobody reads is not piled up")
        text = texts(client.until_done(ident), "stdout", ident)
        self.assertEqual(text, "".join("%018d\n" % i for i in range(400_000)))

    def wait_until_full(self, client: Client) -> int:
        """Wait until the pipe takes no more, and return the resident bytes of the process, which waits for it then."""
        end = time.monotonic() + DEADLINE
        while struct.unpack("i", fcntl.ioctl(client.process.stdout, termios.FIONREAD, b"\0" * 4))[0] < 48 << 10:  # a pipe holds 64 KiB, less what its pages waste
            self.assertLess(time.monotonic(), end)
            os.sched_yield()
        return int(Path(f"/proc/{client.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    unittest.main()
