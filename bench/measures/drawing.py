"""Drawing a file for the first time and again, against bare Pygments on the same two whole contents; bytes of the page.

The files are this repository's own: the largest few of each language. In every thirty lines four become six, which with
their context gives hunks like those of public histories: 16 lines, of which 6 are context.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.token import STANDARD_TYPES

from bench.client import Call, InProcess
from bench.timing import Row, interleaved
from bench.world import World, in_process

ROOT = Path(__file__).parent.parent.parent
KINDS = {"**/domain/*.py": 5, "**/models/*.py": 2, "static/js/*.js": 3, "static/css/*.css": 2, "docs/*.md": 2}
# Files of more lines are shown in parts; these are shown whole.
MOST_LINES = 700
ROUNDS = 5
TOKEN = re.compile(f'<span class="(?:{"|".join(filter(None, STANDARD_TYPES.values()))})">')

Pair = tuple[str, str, str]


def sources() -> list[Pair]:
    """Return (path, old text, new text) of each file."""
    pairs = []
    for pattern, count in KINDS.items():
        found = [path for path in ROOT.glob(pattern) if not {".venv", "staticfiles"} & set(path.parts)]
        texts = {path: path.read_text() for path in found}
        fitting = sorted(
            (path for path in texts if texts[path].count("\n") < MOST_LINES), key=lambda path: -len(texts[path])
        )
        for path in fitting[:count]:
            pairs.append((str(path.relative_to(ROOT)), texts[path], edited(texts[path])))
    return pairs


def edited(text: str) -> str:
    """Return the text with four lines in every thirty changed and two more put behind them."""
    lines = text.split("\n")
    for at in range(len(lines) // 30 * 30 - 20, 0, -30):
        changed = [re.sub(r"\b(\w{4})\w*", r"\1s", line, count=1) + " + 1" for line in lines[at : at + 4]]
        lines[at : at + 4] = [*changed, lines[at] + " + 2", lines[at + 1] + " + 3"]
    return "\n".join(lines)


def bare(pairs: list[Pair]) -> None:
    """Colour both contents of each file and cut them into lines, with nothing else done."""
    from corpus.rendering.lexers import lexer_name, lexer_of

    for path, *texts in pairs:
        lexer = lexer_of(lexer_name(path.rpartition("/")[2]))
        for text in texts:
            highlight(text, lexer, HtmlFormatter(nowrap=True)).split("\n")


def forget() -> None:
    """Throw away what was drawn and coloured."""
    from corpus.models import DrawnFile, HighlightedBlob

    DrawnFile.objects.all().delete()
    HighlightedBlob.objects.all().delete()


def fetch(client: InProcess, urls: list[str]) -> list[bytes]:
    """Ask for each file as a page does."""
    answers = [client(Call(url, by_htmx=True)) for url in urls]
    assert all(answer.status == 200 for answer in answers), [answer.status for answer in answers]
    return [answer.body for answer in answers]


def measure(world: World) -> Iterator[Row]:
    """Measure drawing a case with nothing kept, at once and file by file, and asking for it again."""
    from corpus.models import CaseHunk
    from corpus.selectors.diff_files import Wanted, draw_files
    from corpus.services.cases import CaseFacts, create_case_from_trees

    pairs = sources()
    base, head = ({path.encode(): ("100644", texts[side].encode()) for path, *texts in pairs} for side in (0, 1))
    case = create_case_from_trees(
        project=world.project,
        base=base,
        head=head,
        facts=CaseFacts(repository="bench/own", title="Own sources"),
        imported_by=world.lead,
    ).case
    client = in_process(world.lead)
    urls = [f"/p/{world.project.slug}/cases/{case.public_id}/files/{number}/" for number in range(len(pairs))]

    keys = [file.pk for file in case.files.order_by("position")]

    def whole() -> None:
        forget()
        draw_files(case, keys, Wanted("unified"))

    def one_by_one() -> None:
        forget()
        fetch(client, urls)

    works = [whole, one_by_one, partial(fetch, client, urls), partial(bare, pairs)]
    together, apart, again, reference = interleaved(works, rounds=ROUNDS, warm_up=1)
    count = len(pairs)
    note = f"{count} files, {sum(text.count(chr(10)) for _, *texts in pairs for text in texts)} source lines"
    yield Row("draw and keep a new change, CPU, to Pygments", together, reference, "ms", 1.3, note)
    yield Row("the same by a request for each file", apart, reference, "ms")
    yield Row("a request for a file drawn before", again / count, reference / count, "ms", 20, absolute=True)
    kinds = CaseHunk.objects.filter(case_file__case=case).values_list("kinds", flat=True)
    lines = sum(map(len, kinds))
    for layout in ("unified", "split"):
        pages = [page.decode() for page in fetch(client, [f"{url}?layout={layout}" for url in urls])]
        plain = [TOKEN.sub("", page).replace("</span>", "") for page in pages]
        size = sum(map(len, plain)) / lines
        packed = sum(len(gzip.compress(page.encode())) for page in plain) / lines
        note = f"with token spans {sum(map(len, pages)) / lines:.0f}; {lines} lines"
        yield Row(f"HTML of a diff line, {layout}, no token spans", size, None, "B", 300, note, absolute=True)
        yield Row(f"the same packed by gzip, {layout}", packed, None, "B", 60, absolute=True)
