"""Guessed addresses and hostile input, sent by everybody to a real server: no failure, no traceback, no way out.

Forms and addresses are found by following the pages' own links, so that new pages are swept without being named here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from urllib.parse import quote

import pytest

from tests.services.client import Browser, Unanswered
from tests.services.hostile import (
    METHODS,
    PATH_PIECES,
    QUERY_VALUES,
    Findings,
    Route,
    Site,
    crawl,
    encoded,
    known_addresses,
    mutations,
    query_names,
    routes,
)
from tests.services.server import POSTGRES, SQLITE, Server, Stage, postgres_address

pytestmark = pytest.mark.services
PEOPLE = ("lead", "ada", "adjudicator", "analyst", "outsider")
# Whose pages hold most of the forms.
WORKING = ("lead", "ada")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@dataclass(frozen=True)
class Swept:
    """A server, a browser of each person and of nobody, and what each of them reaches by links."""

    server: Server
    browsers: dict[str, Browser]
    sites: dict[str, Site]
    chance: random.Random


@pytest.fixture(scope="module", params=[SQLITE, POSTGRES])
def swept(
    request: pytest.FixtureRequest, stages: Callable[[str], Stage], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Swept]:
    """One server for all tests of this module; acts that may change what it holds come last."""
    if request.param == POSTGRES and not postgres_address():
        pytest.skip("PostgreSQL is not there")
    server = stages(request.param).server(tmp_path_factory.mktemp("swept"))
    try:
        server.start()
        browsers = {"nobody": server.browser(), **{name: server.signed_in(name) for name in PEOPLE}}
        sites = {name: crawl(browser, examples=2 if name in WORKING else 1) for name, browser in browsers.items()}
        yield Swept(server, browsers, sites, random.Random(11))
    finally:
        server.stop()


def valid_parts(route: Route, known: dict[str, dict[str, str]], server: Server) -> dict[str, str]:
    """Return parts of an address of the route: real ones where somebody reached it."""
    facts = server.facts
    guesses = {
        "project": facts["project"],
        "seat_id": facts["drafted"]["seats"]["ada"],
        "label_id": facts["drafted"]["label"],
        "case_id": facts["ready"][0],
        "job_id": facts["job"],
        "side": "new",
    }
    parts = known.get(route.name, {})
    return {part: parts.get(part) or guesses.get(part, "1") for part in route.parts}


def nothing_went_wrong(server: Server, findings: Findings) -> None:
    """Fail with all that was found."""
    assert findings.wrong == []
    assert server.complaints() == []
    assert server.health() == 200


def test_no_guessed_address_and_no_verb_makes_the_server_fail(swept: Swept) -> None:
    findings = Findings()
    known = known_addresses(swept.sites.values())
    turn = 0
    everybody = list(swept.browsers.items())
    for route in routes():
        parts = valid_parts(route, known, swept.server)
        for name, browser in everybody:
            method = METHODS[turn % len(METHODS)]
            turn += 1
            address = route.address(parts)
            findings.look_at(browser.request(method, address), f"{name} {method} {address}")
        for part in route.parts:
            for piece in ("%00", *swept.chance.sample(PATH_PIECES, 5)):
                name, browser = everybody[turn % len(everybody)]
                turn += 1
                address = route.address({**parts, part: piece})
                if turn % 3:
                    findings.look_at(browser.get(address), f"{name} GET {address}")
                else:
                    findings.look_at(browser.post(address, {"junk": "1"}), f"{name} POST {address}")
    assert findings.asked > 12 * len(routes())
    nothing_went_wrong(swept.server, findings)


def test_no_parameter_of_an_address_makes_the_server_fail(swept: Swept) -> None:
    findings = Findings()
    names = sorted(query_names())
    assert {"page", "path", "q", "layout", "label"} <= set(names)
    done: set[str] = set()
    for person, site in swept.sites.items():
        browser = swept.browsers[person]
        for route, paths in site.addresses.items():
            if route in done:
                continue
            done.add(route)
            for value in swept.chance.sample(QUERY_VALUES, 6):
                address = paths[0] + "?" + "&".join(f"{name}={value}" for name in names)
                answer = browser.get(address, headers={"HX-Request": "true"} if value == "0" else {})
                findings.look_at(answer, f"{person} GET {address}")
            # One at a time too: the first that is refused must not hide the others.
            for name in swept.chance.sample(names, 5):
                address = f"{paths[0]}?{name}={swept.chance.choice(QUERY_VALUES)}"
                findings.look_at(browser.get(address), f"{person} GET {address}")
    assert len(done) > 30
    nothing_went_wrong(swept.server, findings)


def test_no_upload_makes_the_server_fail(swept: Swept) -> None:
    findings = Findings()
    browser = swept.browsers["lead"]
    address = f"/p/{swept.server.facts['project']}/imports/new/"
    assert browser.get(address).status == 200
    files = {
        "empty.patch": b"",
        "noise.bin": bytes(range(256)) * 40,
        "no diff.txt": b"Dear all,\nthis is no diff.\n",
        "cut.patch": b"--- a/x.py\n+++ b/x.py\n@@ -1,9 +1,9 @@\n one\n-two\n",
        "up.patch": b"--- a/../../etc/passwd\n+++ b/../../etc/passwd\n@@ -1 +1 @@\n-a\n+b\n",
        "deep.json": b"[" * 200_000,
        "deep.jsonl": b'{"id": ' * 3000 + b"1" + b"}" * 3000,
        "type.json": b'[{"pr_url": 5, "comments": {"severity": []}}]',
        "type.jsonl": b'{"id": {}, "patch": 7, "findings": "none"}\n',
        "severity.jsonl": b'{"id": "a", "findings": [{"summary": "x", "severity": "apocalyptic", "line": -5}]}\n',
        "number.jsonl": b'{"id": "a", "findings": [{"summary": "x", "line": ' + b"9" * 5000 + b"}]}\n",
        "zip.zip": b"PK\x03\x04" + b"\x00" * 200,
        "tar.tar.gz": b"\x1f\x8b\x08\x00" + b"\x00" * 50,
        "name\x00.patch": b"x",
        "..": b"x",
        "large.patch": b"--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+" + b"x" * (50 * 1024 * 1024),
    }
    fields = {"upload-source_kind": "expert", "upload-split": "dev", "upload-format": "", "from": "upload"}
    before = swept.server.database.one("SELECT count(*) FROM corpus_case")
    for name, data in files.items():
        answer = browser.upload(address, fields, {"upload-file": (name, data)})
        findings.look_at(answer, f"upload {name}")
        if answer.status == 302:
            page = findings.look_at(browser.get(answer.header("Location")), f"preview of {name}")
            assert page.status == 200
        else:
            assert answer.status == 422, (name, answer.status)
            assert 'class="error' in answer.text or 'role="alert"' in answer.text, name
    assert swept.server.database.one("SELECT count(*) FROM corpus_case") == before
    nothing_went_wrong(swept.server, findings)


def asked(path: bytes, *headers: bytes, host: bytes = b"127.0.0.1") -> bytes:
    """Return the bytes of a request for a page."""
    lines = [b"GET " + path + b" HTTP/1.1", b"Host: " + host, *headers, b"Connection: close", b"", b""]
    return b"\r\n".join(lines)


def posted(*headers: bytes, body: bytes = b"") -> bytes:
    """Return the bytes of a form that is sent with strange headers."""
    lines = [b"POST /accounts/login/ HTTP/1.1", b"Host: 127.0.0.1", *headers, b"Connection: close", b"", body]
    return b"\r\n".join(lines)


RAW = (
    asked(b"/p/\xff\xfe/"),
    asked(b"/\x00"),
    asked(b"//evil.example"),
    asked(b"//evil.example/p"),
    asked(b"http://evil.example/", host=b"evil.example"),
    asked(b"/", host=b"evil.example"),
    asked(b"/", host=b"\xff\xff"),
    b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
    asked(b"/accounts/login/?next=%0d%0aSet-Cookie:%20x=1"),
    asked(b"/", b"Cookie: sessionid=\x00\xff; csrftoken=\xff"),
    asked(b"/", b"Cookie: sessionid=" + b"x" * 5000),
    asked(b"/", b"Cookie: messages=%5B%5B1; sessionid='"),
    asked(b"/", b"HX-Request: true", b"HX-Current-URL: \xff", b"HX-Target: %00"),
    asked(b"/" + b"a" * 9000),
    posted(b"Content-Length: -5"),
    posted(b"Transfer-Encoding: chunked", body=b"zz\r\n"),
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
)


def test_no_malformed_request_makes_the_server_fail(swept: Swept) -> None:
    browser = swept.server.browser()
    for request in RAW:
        answer = browser.raw(request)
        status = answer.split(b" ", 2)[1:2]
        assert status, request
        assert status[0] < b"500", (request, answer[:500])
        head = answer.partition(b"\r\n\r\n")[0].lower()
        assert b"\r\nset-cookie: x=1" not in head
        assert b"location: //evil" not in head
        assert b"location: http" not in head
    assert swept.server.complaints() == []
    assert swept.server.health() == 200


@pytest.mark.parametrize(
    "place", ["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)"]
)
def test_signing_in_never_leads_to_another_site(swept: Swept, place: str) -> None:
    browser = swept.server.browser()
    browser.get(f"/accounts/login/?next={quote(place)}")
    form = {"login": "ada@example.org", "password": swept.server.facts["password"], "next": place}
    answer = browser.post("/accounts/login/", form)
    assert (answer.status, answer.header("Location")) == (302, "/")


def test_no_field_of_a_form_makes_the_server_fail(swept: Swept) -> None:
    findings = Findings()
    chance = swept.chance
    acts: list[tuple[str, str]] = []
    seen: set[tuple[str, str, tuple[str, ...]]] = set()
    for person, site in swept.sites.items():
        browser = swept.browsers[person]
        for key, form in site.forms.items():
            if key in seen:
                continue
            seen.add(key)
            if form.method == "POST":
                acts.append((person, form.action))
            by_field: dict[str, list[list[tuple[str, bytes]]]] = {}
            for name, fields in mutations(form):
                by_field.setdefault(name, []).append(fields)
            for name, bodies in by_field.items():
                for fields in chance.sample(bodies, 3):
                    body = encoded(fields, browser.cookies.get("csrftoken", ""))
                    what = f"{person} {form.method} {form.action} {name}: {dict(fields)[name][:60]!r}"
                    if form.method == "GET":
                        address = form.action.partition("?")[0] + "?" + body.decode()
                        if len(address) > 4000:
                            continue
                        findings.look_at(browser.get(address), what)
                    else:
                        accept = {"Accept": "application/json"} if chance.random() < 0.3 else {}
                        answer = browser.request("POST", form.action, body=body, headers={**FORM, **accept})
                        findings.look_at(answer, what)
                    if "sessionid" not in browser.cookies and person != "nobody":
                        browser.sign_in(f"{person}@example.org", swept.server.facts["password"])
    assert len(seen) > 20
    assert findings.asked > 300
    # Whole bodies that are no form, and acts without any field, which may well change something.
    bodies: list[tuple[bytes, dict[str, str]]] = [
        (b"[" * 100_000, {"Content-Type": "application/json"}),
        (b'{"a": ' * 5000, {"Content-Type": "application/json"}),
        (b"\xff\xfe\x00", {"Content-Type": "application/json; charset=utf-32"}),
        (
            b'--x\r\nContent-Disposition: form-data; name="a"; filename="../../\x00"\r\n\r\n',
            {"Content-Type": "multipart/form-data; boundary=x"},
        ),
        (b"nothing", {"Content-Type": "multipart/form-data"}),
        (b"a=1", {"Content-Type": "application/x-www-form-urlencoded; charset=no-such-charset"}),
        (b"&".join(b"f%d=1" % number for number in range(2500)), FORM),
        (b"a=" + b"x" * (5 * 1024 * 1024), FORM),
        (b"csrfmiddlewaretoken=" + b"x" * 64 + b"&%00=%00", FORM),
        (b"", FORM),
    ]
    for turn, (person, action) in enumerate(acts):
        browser = swept.browsers[person]
        for body, headers in (bodies[turn % len(bodies)], bodies[(turn + 5) % len(bodies)]):
            for token in ("", browser.cookies.get("csrftoken", "")):
                sent = {**headers, "X-CSRFToken": token} if token else headers
                # A body that nobody wants is not read to its end, which may cut the answer off.
                with suppress(Unanswered) if len(body) > 1024 * 1024 else nullcontext():
                    answer = browser.request("POST", action, body=body, headers=sent)
                    findings.look_at(answer, f"{person} POST {action} {body[:40]!r}")
    nothing_went_wrong(swept.server, findings)
