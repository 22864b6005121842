"""python -m stocksync CONFIG.ini [--dry-run] [--provider NAME]"""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from .config import ConfigError, read_config
from .database import connect
from .report import table
from .run import Run
from .state import State


def now() -> datetime:
    return datetime.now(UTC)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the report; the exit status is described in the README."""
    parser = argparse.ArgumentParser(prog="stocksync")
    parser.add_argument("config", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="compare and report, write nothing")
    parser.add_argument("--provider", help="only this one")
    options = parser.parse_args(arguments)
    try:
        config = read_config(options.config)
        if options.provider:
            config = config.only(options.provider)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return 2
    connection = connect(config.database)
    try:
        outcomes = Run(connection, State(config.state), now).all(config, options.dry_run)
    finally:
        connection.close()
    sys.stdout.write(table(outcomes))
    return 1 if any(outcome.refusal for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
