import sqlite3
import tempfile
import unittest
from pathlib import Path

from dispatch.queue import LEASE_SECONDS, MAX_ATTEMPTS, Queue


class QueueTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.now = 1000.0
        self.path = str(Path(folder.name) / "queue.db")
        self.queue = Queue(self.path, lambda: self.now)
        self.addCleanup(self.queue.close)

    def test_jobs_are_taken_in_order(self):
        first, second = self.queue.put("mail", {"to": "a"}), self.queue.put("mail", {"to": "b"})
        self.assertEqual([self.queue.claim("w1").id, self.queue.claim("w1").id], [first, second])
        self.assertIsNone(self.queue.claim("w1"))

    def test_an_expired_lease_is_given_to_another_worker(self):
        job = self.queue.put("mail", {})
        held = self.queue.claim("w1")
        self.now += LEASE_SECONDS + 1
        self.assertEqual(self.queue.reap(), 1)
        self.assertEqual(self.queue.claim("w2").id, job)
        self.assertFalse(self.queue.finish(held, "w1"))

    def test_a_job_dies_after_too_many_attempts(self):
        self.queue.put("mail", {})
        for _ in range(MAX_ATTEMPTS):
            self.queue.fail(self.queue.claim("w1"), "w1", "no route")
        self.assertIsNone(self.queue.claim("w1"))

    def test_a_higher_priority_goes_first(self):
        self.queue.put("report", {}, priority=1)
        urgent = self.queue.put("mail", {}, priority=8)
        self.assertEqual(self.queue.claim("w1").id, urgent)

    def test_a_tenant_with_fewer_leases_goes_first(self):
        self.queue.put("mail", {}, tenant="loud")
        self.queue.put("mail", {}, tenant="loud")
        quiet = self.queue.put("mail", {}, tenant="quiet")
        self.queue.claim("w1")
        self.assertEqual(self.queue.claim("w2").id, quiet)

    def test_a_priority_outside_the_scale_is_refused(self):
        with self.assertRaises(sqlite3.IntegrityError):
            self.queue.put("mail", {}, priority=10)
