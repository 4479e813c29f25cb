"""Death with the parent."""

from __future__ import annotations

import os
import select
import signal

from tests.client import DEADLINE, MARK, Client, RuntimeTest


class Lifeline(RuntimeTest):
    def tied(self, **options) -> tuple[Client, int]:
        """A runtime and the write end of its lifeline."""
        read_end, write_end = os.pipe()
        try:
            client = self.start(env={"RLM_LIFELINE_FD": str(read_end)}, pass_fds=(read_end,), **options)
        finally:
            os.close(read_end)
        return client, write_end

    def test_kernel_kills_the_group_of_a_busy_leader(self) -> None:
        client, lifeline = self.tied(start_new_session=True)
        client.start(MARK + "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\nmark({'pid': child.pid})\nwhile True: pass")
        pid = client.until_mark()[-1]["data"]["pid"]
        child = os.pidfd_open(pid)
        try:
            os.close(lifeline)
            self.assertEqual(client.exit_code(), -signal.SIGKILL)
            self.assertTrue(select.select([child], [], [], DEADLINE)[0])
        finally:
            os.close(child)

    def test_kernel_kills_while_c_code_holds_the_interpreter(self) -> None:
        client, lifeline = self.tied(start_new_session=True)
        client.start(MARK + "import re\nmark({'at': 1})\nre.match('(a+)+$', 'a' * 60 + 'b')")
        client.until_mark()
        os.close(lifeline)
        self.assertEqual(client.exit_code(), -signal.SIGKILL)

    def test_a_thread_ends_a_process_that_leads_no_group(self) -> None:
        client, lifeline = self.tied()
        client.start(MARK + "mark({'at': 1})\nwhile True: pass")
        client.until_mark()
        os.close(lifeline)
        self.assertEqual(client.exit_code(), 1)

    def test_a_parent_that_went_before_the_start(self) -> None:
        for options, code in (({"start_new_session": True}, -signal.SIGKILL), ({}, 1)):
            read_end, write_end = os.pipe()
            os.close(write_end)
            client = self.start(env={"RLM_LIFELINE_FD": str(read_end)}, pass_fds=(read_end,), ready=False, **options)
            os.close(read_end)
            self.assertEqual(client.exit_code(), code)

    def test_a_descriptor_that_is_none(self) -> None:
        for value in ("word", "987"):
            client = self.start(env={"RLM_LIFELINE_FD": value}, ready=False)
            self.assertEqual((client.rest(), client.exit_code()), ([], 3))
            self.assertIn(f"RLM_LIFELINE_FD={value}".encode(), client.process.stderr.read())

    def test_lives_while_the_parent_does_and_hides_the_descriptor(self) -> None:
        client, lifeline = self.tied(start_new_session=True)
        self.assert_alive(client)
        self.assertEqual(client.value("import os\n'RLM_LIFELINE_FD' in os.environ"), "False")
        inherited = client.value("import subprocess\nsorted(subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True, close_fds=False).stdout.split())")
        self.assertEqual(inherited, "['0', '1', '2', '3']")  # 3 is the folder that ls reads
        client.rest()
        self.assertEqual(client.exit_code(), 0)
        os.close(lifeline)
