"""Reads every supplier folder: FOLDER/<supplier>/*.csv, oldest name first."""

import sys
from pathlib import Path

from .database import connect
from .files import BadLine
from .imports import import_file


def main(folder: Path, database: str) -> int:
    connection = connect(database)
    status = 0
    for path in sorted(folder.glob("*/*.csv")):
        try:
            count = import_file(connection, path.parent.name, path)
        except BadLine as error:
            print(f"refused: {error}", file=sys.stderr)
            status = 1
        else:
            print(f"{path.parent.name}/{path.name}: {count} prices")
            path.rename(path.with_suffix(".done"))
    connection.close()
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
