import unittest

from cachekit.store import Entry, Store


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.store = Store(2)

    def test_an_entry_is_alive_before_its_time_only(self):
        entry = Entry("value", 10.0)
        self.assertTrue(entry.is_alive(9.999))
        self.assertFalse(entry.is_alive(10.0))

    def test_an_expired_entry_is_dropped_when_it_is_looked_for(self):
        self.store.put("a", Entry(1, 5.0), 0.0)
        self.assertIsNone(self.store.find("a", 5.0))
        self.assertEqual(len(self.store), 0)

    def test_replacing_does_not_push_out_another(self):
        self.store.put("a", Entry(1, 5.0), 0.0)
        self.store.put("b", Entry(2, 5.0), 0.0)
        self.store.put("a", Entry(3, 5.0), 0.0)
        self.assertEqual([self.store.find(key, 1.0).value for key in "ab"], [3, 2])

    def test_an_empty_store_is_refused(self):
        with self.assertRaises(ValueError):
            Store(0)
