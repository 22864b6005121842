"""python -m stocksync SHOP.db FEED.csv"""

import sys
from pathlib import Path

from .database import connect
from .feed import read_feed


def main(database: str, feed: Path) -> int:
    connection = connect(database)
    quantities = read_feed(feed)
    with connection:
        known = {sku for (sku,) in connection.execute("SELECT sku FROM item")}
        for sku in known & quantities.keys():
            connection.execute("UPDATE item SET quantity = ? WHERE sku = ?", (quantities[sku], sku))
    print(f"{len(known & quantities.keys())} items, {len(quantities.keys() - known)} unknown")
    connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
