import tempfile
import unittest
from pathlib import Path

from stocksync.config import ConfigError, read_config
from stocksync.providers import ApiProvider, CsvProvider, build

GOOD = """
[shop]
database = shop.db
state = state

[provider:holm]
kind = csv
path = holm.csv
columns = sku=Artikel, on_hand=Bestand
delimiter = ;
brake_percent = 35

[provider:aske]
kind = api
address = https://aske.example/v2/stock
prefix = AS-
"""


class ConfigTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "config.ini"
            path.write_text(text, encoding="utf-8")
            return read_config(path)

    def test_providers_are_read_with_their_options(self):
        holm, aske = self.read(GOOD).providers
        self.assertEqual((holm.kind, holm.brake_percent, holm.prefix), ("csv", 35, ""))
        self.assertEqual((aske.kind, aske.brake_percent, aske.prefix), ("api", 20, "AS-"))

    def test_each_kind_is_built(self):
        holm, aske = (build(provider) for provider in self.read(GOOD).providers)
        self.assertIsInstance(holm, CsvProvider)
        self.assertEqual(holm.columns, {"sku": "Artikel", "on_hand": "Bestand"})
        self.assertIsInstance(aske, ApiProvider)
        self.assertEqual(aske.page_size, 500)

    def test_one_provider_can_be_chosen(self):
        self.assertEqual([p.name for p in self.read(GOOD).only("aske").providers], ["aske"])
        with self.assertRaisesRegex(ConfigError, "elm"):
            self.read(GOOD).only("elm")

    def test_what_is_missing_is_named(self):
        for before, after, message in (
            ("kind = api", "kind = ftp", "ftp"),
            ("brake_percent = 35", "brake_percent = much", "brake_percent"),
            ("brake_percent = 35", "brake_percent = 101", "between"),
            ("state = state", "", "state"),
        ):
            with self.assertRaisesRegex(ConfigError, message):
                self.read(GOOD.replace(before, after))

    def test_addresses_are_encrypted(self):
        aske = self.read(GOOD.replace("https://", "http://")).providers[1]
        with self.assertRaisesRegex(ConfigError, "https"):
            build(aske)
