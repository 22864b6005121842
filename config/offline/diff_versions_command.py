"""`touchstone diff-versions BEFORE AFTER`: compare two frozen manifests.

Prints the comparison as JSON, or as Markdown with `--markdown`. Exit 0: compared, whether or not they differ. 2: one of
them is no manifest, or is not intact: what changed in a file that was tampered with is no change of a version.
"""

from __future__ import annotations

import argparse
import sys

from config.cli import BadInput
from config.offline.located import write_json
from config.offline.manifests import read_manifest
from corpus.domain.version_compare import compare_versions, comparison_markdown, comparison_plain


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("before", help="the manifest file to compare from, or - for standard input")
    parser.add_argument("after", help="the manifest file to compare with")
    parser.add_argument("--markdown", action="store_true", help="print a text for people in place of JSON")


def run(options: argparse.Namespace) -> int:
    """Print the comparison and return 0; raises BadInput where a manifest cannot be relied on."""
    if options.before == options.after == "-":
        raise BadInput("-: standard input can be read only once")
    comparison = compare_versions(*read_manifest(options.before), *read_manifest(options.after))
    if options.markdown:
        sys.stdout.write(comparison_markdown(comparison))
    else:
        write_json(comparison_plain(comparison))
    return 0
