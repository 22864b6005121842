"""The `touchstone` console script.

Offline commands (`OFFLINE`) read a file or `-`, print JSON to standard output and need neither database nor settings.
Everything else is a Django management command of the same name.

Exit codes of the offline commands: 0 done, 1 a gate or check failed, 2 bad input (one line on standard error).
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

OFFLINE = {
    "diff": "parse a patch and print its files, hunks and lines",
    "pair": "align two reviewers' labels",
    "match": "propose matches of AI findings to golden findings by structure",
    "agree": "compute one agreement statistic",
    "score": "score findings against a frozen manifest",
    "verify": "verify a frozen manifest",
    "diff-versions": "compare two frozen manifests",
    "open-seal": "open the sealed mapping of a blind set",
}


class BadInput(Exception):
    """The input cannot be used; the message says file, place and reason."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in OFFLINE:
        return run_offline(arguments[0], arguments[1:])
    if not arguments or arguments[0] in {"-h", "--help"}:
        print_help()
        return 0
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from corpus.origin import acting_from

    try:
        with acting_from(f"command {arguments[0]}"):
            execute_from_command_line(["touchstone", *arguments])
    except ImproperlyConfigured as error:
        sys.stderr.write(f"settings: {error}\n")
        return 2
    return 0


def run_offline(name: str, arguments: Sequence[str]) -> int:
    """Run the offline command `name`; its module offers `add_arguments(parser)` and `run(options) -> int`."""
    module = importlib.import_module(f"config.offline.{name.replace('-', '_')}_command")
    parser = argparse.ArgumentParser(prog=f"touchstone {name}", description=OFFLINE[name])
    module.add_arguments(parser)
    options = parser.parse_args(arguments)
    try:
        return int(module.run(options))
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except BrokenPipeError:
        return 0


def print_help() -> None:
    """Name every offline command and say where the others are listed."""
    lines = ["usage: touchstone COMMAND ...", "", "offline commands:"]
    lines += [f"  {name:<13} {text}" for name, text in OFFLINE.items()]
    lines += ["", "database commands: touchstone help"]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
