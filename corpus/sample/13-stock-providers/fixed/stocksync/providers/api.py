"""Records from an HTTP interface that answers in pages."""

import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

from ..config import ConfigError, ProviderConfig
from ..model import ProviderError, Snapshot, StockRecord
from ..retry import Retry

TIMEOUT_SECONDS = 20
MAX_PAGE_BYTES = 8 * 1024 * 1024


def get(address: str) -> bytes:
    """The body of a GET, at most MAX_PAGE_BYTES; raises OSError."""
    with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
        body = answer.read(MAX_PAGE_BYTES + 1)
    if len(body) > MAX_PAGE_BYTES:
        raise OSError(f"a page is larger than {MAX_PAGE_BYTES} bytes")
    return body


def passing(error: OSError) -> bool:
    """Whether trying again may help."""
    return not isinstance(error, urllib.error.HTTPError) or error.code == 429 or error.code >= 500


@dataclass(frozen=True)
class ApiProvider:
    """Pages are spooled to a file in `spool`, since a full answer does not fit into memory on the small hosts."""

    address: str
    page_size: int = 500
    spool: Path = Path(tempfile.gettempdir())
    fetcher: Callable[[str], bytes] = get
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def from_config(cls, config: ProviderConfig) -> "ApiProvider":
        try:
            size = int(config.options.get("page_size", "500"))
        except ValueError:
            raise ConfigError(f"provider:{config.name}: page_size must be a whole number") from None
        if not config.option("address").startswith("https://"):
            raise ConfigError(f"provider:{config.name}: address must start with https://")
        return cls(config.option("address"), min(max(size, 1), 5000))

    def fetch(self, since: datetime | None) -> Snapshot:
        """What changed after `since`, oldest change first; later changes of an article replace earlier ones."""
        newest: dict[str, StockRecord] = {}
        with tempfile.TemporaryFile("w+", dir=self.spool, encoding="utf-8") as stream:
            for page in self._pages(since):
                for entry in page:
                    stream.write(json.dumps(entry) + "\n")
            stream.seek(0)
            for number, line in enumerate(stream, start=1):
                record = parse(json.loads(line), number)
                newest[record.sku.upper()] = record
        return Snapshot(tuple(newest.values()), complete=since is None)

    def _pages(self, since: datetime | None) -> Iterator[list[object]]:
        query = {"limit": str(self.page_size)}
        if since is not None:
            query["since"] = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        number = 1
        while True:
            address = f"{self.address}?{urlencode({**query, 'page': str(number)})}"
            page = self._page(address)
            if page:
                yield page
            if len(page) < self.page_size:
                return
            number += 1

    def _page(self, address: str) -> list[object]:
        retry = Retry(attempts=4, first_pause=1.0, sleep=self.sleep)
        try:
            body = retry.call(lambda: self.fetcher(address), OSError, passing)
            page = json.loads(body)
        except (OSError, ValueError) as error:
            raise ProviderError(f"{address}: {error}") from error
        if not isinstance(page, list):
            raise ProviderError(f"{address}: expected a list")
        return page


def parse(entry: object, number: int) -> StockRecord:
    """One record of the interface; raises ProviderError with its number in the answer."""
    try:
        if not isinstance(entry, dict):
            raise ValueError("expected an object")
        sku = entry["sku"]
        if not isinstance(sku, str) or not sku.strip():
            raise ValueError("no SKU")
        return StockRecord(
            sku=sku.strip(),
            on_hand=whole(entry["on_hand"]),
            reserved=whole(entry.get("reserved", 0)),
            pack=whole(entry.get("pack", 1)),
            changed=datetime.fromisoformat(entry["changed"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ProviderError(f"record {number}: {error!r}") from error


def whole(value: object) -> int:
    """The value as it is if it is a whole number; truth values are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is no whole number")
    return value
