import threading
import unittest

from cachekit.making import Making


class MakingTest(unittest.TestCase):
    def test_a_key_is_forgotten_after_its_last_user(self):
        making = Making()
        with making.alone("a"):
            self.assertEqual(len(making), 1)
        self.assertEqual(len(making), 0)

    def test_a_failure_frees_the_key(self):
        making = Making()
        with self.assertRaises(KeyError):
            with making.alone("a"):
                raise KeyError("a")
        self.assertEqual(len(making), 0)

    def test_two_keys_do_not_wait_for_each_other(self):
        making = Making()
        entered = threading.Event()

        def other():
            with making.alone("b"):
                entered.set()

        with making.alone("a"):
            thread = threading.Thread(target=other)
            thread.start()
            self.assertTrue(entered.wait(5))
        thread.join()
