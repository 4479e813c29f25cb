"""What may stand where a snapshot is to be written or read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tests.test_snapshot import SnapshotTest


class SnapshotFiles(SnapshotTest):
    def setUp(self) -> None:
        super().setUp()
        self.fifo = str(self.folder / "fifo")
        os.mkfifo(self.fifo)
        (self.folder / "link").symlink_to(self.fifo)

    def test_a_pipe_is_never_replaced(self) -> None:
        client = self.start()
        client.run("a = 1")
        for name in ("fifo", "link"):
            special = str(self.folder / name)
            for fields in ({"path": special}, {"manifest_path": special}):
                self.assert_refused(self.snapshot(client, **fields), f"{special!r} is a pipe, not a regular file")
        self.assertEqual(self.files(), ["fifo", "link"])
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.fifo).st_mode))
        self.assertTrue(stat.S_ISLNK(os.lstat(self.folder / "link").st_mode))

    def test_a_pipe_is_never_read(self) -> None:
        client = self.start()
        for name in ("fifo", "link"):
            self.assert_refused(client.request("restore", path=str(self.folder / name)), "is a pipe, not a regular file")
        self.assert_refused(client.request("restore", path=str(self.folder)), "is a folder, not a regular file")
        self.assert_alive(client)

    def test_what_an_earlier_one_left_behind(self) -> None:
        client = self.start()
        client.run("a = 1")
        for path in (self.path, self.manifest_path):
            Path(f"{path}.{client.process.pid}.tmp").write_text("left")
        self.assertEqual(self.snapshot(client)["status"], "ok")
        self.assertEqual(client.request("restore", path=self.path)["restored"], ["a"])

    def test_a_name_as_long_as_names_can_be(self) -> None:
        client = self.start()
        client.run("a = 1")
        path, manifest_path = (str(self.folder / (letter * 255)) for letter in "pm")
        self.assertEqual(self.snapshot(client, path=path, manifest_path=manifest_path)["status"], "ok")
        self.assertEqual(self.files(), ["fifo", "link", "m" * 255, "p" * 255])
        self.assertEqual(client.request("restore", path=path)["restored"], ["a"])
