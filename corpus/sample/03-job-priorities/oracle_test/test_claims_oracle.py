import tempfile
import unittest
from pathlib import Path
from unittest import mock

from dispatch import queue as module
from dispatch.queue import Queue


class OracleTest(unittest.TestCase):
    def test_two_workers_never_hold_the_same_job(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "queue.db")
            one, two = Queue(path, lambda: 0.0), Queue(path, lambda: 0.0)
            self.addCleanup(one.close)
            self.addCleanup(two.close)
            one.put("charge", {"cents": 900})
            taken = []
            choose = module.choose

            def other_worker_first(candidates, leases):
                module.choose = choose
                taken.append(two.claim("w2"))
                return choose(candidates, leases)

            with mock.patch.object(module, "choose", other_worker_first):
                mine = one.claim("w1")
            self.assertEqual(len(taken), 1)
            self.assertIsNotNone(taken[0])
            self.assertIsNone(mine)
