import unittest

from dispatch.fairness import Candidate, choose


class ChooseTest(unittest.TestCase):
    def test_priority_comes_before_leases_and_age(self):
        jobs = [Candidate(1, "a", 4), Candidate(2, "b", 9), Candidate(3, "c", 4)]
        self.assertEqual(choose(jobs, {"b": 12}).id, 2)

    def test_age_decides_among_equals(self):
        jobs = [Candidate(7, "a", 4), Candidate(5, "b", 4)]
        self.assertEqual(choose(jobs, {"a": 1, "b": 1}).id, 5)

    def test_an_unknown_tenant_holds_nothing(self):
        jobs = [Candidate(1, "a", 4), Candidate(2, "b", 4)]
        self.assertEqual(choose(jobs, {"a": 1}).id, 2)

    def test_nothing_cannot_be_chosen(self):
        with self.assertRaises(ValueError):
            choose([], {})
