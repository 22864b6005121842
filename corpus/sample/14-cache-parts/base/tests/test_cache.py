import threading
import unittest

from cachekit import Cache


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        self.cache = Cache(size=2, ttl=10, clock=lambda: self.now)

    def test_a_value_is_kept_until_it_expires(self):
        self.cache.set("a", 1)
        self.now += 9.9
        self.assertEqual(self.cache.get("a"), 1)
        self.now += 0.1
        self.assertIsNone(self.cache.get("a"))

    def test_the_least_recently_used_gives_way(self):
        self.cache.set("a", 1)
        self.cache.set("b", 2)
        self.cache.get("a")
        self.cache.set("c", 3)
        self.assertEqual([self.cache.get(key) for key in "abc"], [1, None, 3])

    def test_expired_values_give_way_first(self):
        self.cache.set("short", 1, ttl=1)
        self.cache.set("long", 2)
        self.cache.get("short")
        self.now += 2
        self.cache.set("new", 3)
        self.assertEqual(self.cache.get("long"), 2)

    def test_hits_and_misses_are_counted(self):
        self.cache.set("a", 1)
        self.cache.get("a")
        self.cache.get("b")
        self.assertEqual((self.cache.hits, self.cache.misses), (1, 1))

    def test_one_thread_makes_the_value_for_all(self):
        made = []
        barrier = threading.Barrier(4)

        def work():
            barrier.wait()
            self.cache.get_or_make("a", lambda: made.append(1) or "value")

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(made), 1)
        self.assertEqual(self.cache.get("a"), "value")

    def test_a_failed_make_is_tried_again_by_the_next(self):
        with self.assertRaises(ZeroDivisionError):
            self.cache.get_or_make("a", lambda: 1 // 0)
        self.assertEqual(self.cache.get_or_make("a", lambda: 5), 5)
