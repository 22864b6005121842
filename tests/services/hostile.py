"""What a hostile client sends: found forms and addresses filled with values that no page would send."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, quote, urljoin, urlsplit

from django.urls import Resolver404, URLPattern, URLResolver, get_resolver, resolve

from tests.services.client import Answer, Browser
from tests.services.server import ROOT

# As they stand in an address.
PATH_PIECES = (
    "%00",
    "%ff%fe",
    "..",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "9" * 40,
    "-1",
    "a" * 3000,
    "%0d%0aX-Injected:%20yes",
    "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "%ed%a0%80",
    "None",
    "%F0%9F%92%A9",
    "0",
)
QUERY_VALUES = ("", "%00", "%ff%fe", "-1", "0", "9" * 40, "1e309", "%0d%0aX-Injected:%20yes", "a" * 3000, "%ed%a0%80")
FORM_VALUES = (
    b"",
    b"%00",
    b"before%00after",
    b"%ff%fe%80",
    b"%ed%a0%80",
    b"-1",
    b"0",
    b"2147483648",
    b"9223372036854775808",
    b"9" * 60,
    b"-" + b"9" * 60,
    b"1e309",
    b"NaN",
    b"%D9%A3",
    b"no-such-choice",
    b"%0d%0aX-Injected:%20yes",
    b"%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    b"%5B" * 2000,
    b"x" * 20_000,
    b"pay%2Fretry.py%20new%2099999999999-99999999999",
    b"%E2%80%AE%E2%81%A6x",
    b"https%3A%2F%2Fevil.example%2F",
)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")


@dataclass(frozen=True)
class Route:
    """A route with the parts of its address that vary."""

    name: str
    pattern: str

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the varying parts."""
        return tuple(part.rpartition(":")[2] for part in re.findall(r"<([^>]+)>", self.pattern))

    def address(self, values: dict[str, str]) -> str:
        """Return the address with its parts as given, already quoted."""
        return "/" + re.sub(r"<([^>]+)>", lambda part: values[part[1].rpartition(":")[2]], self.pattern)


def routes() -> list[Route]:
    """Return every route of the product that is written as a path."""
    found: list[Route] = []

    def walk(patterns: Iterable[URLPattern | URLResolver], prefix: str) -> None:
        for pattern in patterns:
            path = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                walk(pattern.url_patterns, path)
            elif not re.search(r"[\^$\\(]", path):
                found.append(Route(pattern.name or path, path))

    walk(get_resolver("config.urls").url_patterns, "")
    return found


def query_names() -> set[str]:
    """Return the names of all parameters that a view reads from the address."""
    names: set[str] = set()
    for app in ("config", "corpus", "labeling", "reviews"):
        for file in (ROOT / app).rglob("*.py"):
            names |= set(re.findall(r"GET\.(?:get|getlist)\(\s*\"(\w+)\"", file.read_text(encoding="utf-8")))
            names |= set(re.findall(r"_number\(request, \"(\w+)\"\)", file.read_text(encoding="utf-8")))
    return names


@dataclass
class Form:
    """A form of a page, with the values that it shows."""

    action: str
    method: str
    is_upload: bool
    fields: list[tuple[str, str]] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its fields, each once; the token against forged requests is none."""
        return tuple(dict.fromkeys(name for name, _ in self.fields if name != "csrfmiddlewaretoken"))


class Page(HTMLParser):
    """The links and forms of a page."""

    def __init__(self, html: str, address: str) -> None:
        super().__init__()
        self.address = address
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.form: Form | None = None
        self.select = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links, forms and fields."""
        held = {name: value or "" for name, value in attrs}
        for name in ("href", "hx-get", "data-url"):
            if name in held and tag != "link":
                self.links.append(urljoin(self.address, held[name]))
        if tag == "form":
            action = urljoin(self.address, held.get("action", self.address))
            method = held.get("method", "get").upper()
            self.form = Form(action, method, held.get("enctype") == "multipart/form-data")
            self.forms.append(self.form)
        elif tag == "select":
            self.select = held.get("name", "")
            self._field(self.select, "")
        elif tag == "option" and self.select and "selected" in held:
            self._field(self.select, held.get("value", ""))
        elif tag == "textarea":
            self._field(held.get("name", ""), "")
        elif tag in {"input", "button"}:
            kind = held.get("type", "text")
            if kind in {"radio", "checkbox"} and "checked" not in held:
                self._field(held.get("name", ""), "")
            else:
                self._field(held.get("name", ""), held.get("value", ""))
            if "formaction" in held:
                self.forms.append(Form(urljoin(self.address, held["formaction"]), "POST", False))

    def handle_endtag(self, tag: str) -> None:
        """Close forms and choices."""
        if tag == "form":
            self.form = None
        elif tag == "select":
            self.select = ""

    def _field(self, name: str, value: str) -> None:
        if self.form is None or not name:
            return
        held = dict(self.form.fields)
        if name not in held:
            self.form.fields.append((name, value))
        elif value:
            self.form.fields = [(one, value if one == name and not old else old) for one, old in self.form.fields]


@dataclass
class Site:
    """What one person can reach by links: an example of each kind of address, and every kind of form."""

    addresses: dict[str, list[str]] = field(default_factory=dict)
    forms: dict[tuple[str, str, tuple[str, ...]], Form] = field(default_factory=dict)


def crawl(browser: Browser, *, most_pages: int = 160, examples: int = 2) -> Site:
    """Follow links from the first page, taking a few examples of each route and set of parameters."""
    site = Site()
    waiting = deque(["/"])
    seen: set[str] = set()
    taken: dict[tuple[str, tuple[str, ...]], int] = {}
    while waiting and len(seen) < most_pages:
        address = waiting.popleft().partition("#")[0]
        parts = urlsplit(address)
        name = route_of(parts.path)
        if parts.netloc or not name or address in seen or name == "account_logout":
            continue
        kind = (name, tuple(sorted(key for key, _ in parse_qsl(parts.query))))
        if taken.get(kind, 0) >= examples:
            continue
        taken[kind] = taken.get(kind, 0) + 1
        seen.add(address)
        answer = browser.get(address)
        assert answer.status < 500, (address, answer.status)
        if answer.status == 302:
            waiting.append(answer.header("Location"))
        if answer.status != 200:
            continue
        site.addresses.setdefault(name, []).append(parts.path)
        if "text/html" in answer.header("Content-Type"):
            page = Page(answer.text, address)
            waiting.extend(page.links)
            for form in page.forms:
                target = route_of(urlsplit(form.action).path)
                if target and target != "account_logout":
                    site.forms.setdefault((target, form.method, form.names), form)
                    site.addresses.setdefault(target, []).append(urlsplit(form.action).path)
    return site


def route_of(path: str) -> str:
    """Return the name of the route of an address of the product; empty when it is none."""
    try:
        found = resolve(path, "config.urls")
    except Resolver404:
        return ""
    return found.url_name or found.route


def encoded(fields: list[tuple[str, bytes]], token: str) -> bytes:
    """Return a form body; values are already quoted."""
    pairs = [b"csrfmiddlewaretoken=" + token.encode(), *(quote(name).encode() + b"=" + v for name, v in fields)]
    return b"&".join(pairs)


def mutations(form: Form) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Yield the form with one field at a time set to each hostile value, the others as the page shows them."""
    plain = [(name, quote(value).encode()) for name, value in form.fields if name != "csrfmiddlewaretoken"]
    for name in form.names:
        for value in FORM_VALUES:
            yield name, [(one, value if one == name else old) for one, old in plain]


@dataclass
class Findings:
    """Everything that a server must never answer."""

    wrong: list[str] = field(default_factory=list)
    asked: int = 0

    def look_at(self, answer: Answer, what: str) -> Answer:
        """Note a failure, an injected header, a redirect to another site, or a traceback in an answer."""
        self.asked += 1
        reasons = []
        if answer.status >= 500:
            reasons.append(f"status {answer.status}")
        if answer.header("X-Injected"):
            reasons.append("an injected header")
        location = urlsplit(answer.header("Location") or answer.header("HX-Redirect"))
        if location.netloc:
            reasons.append(f"leads to {location.netloc}")
        if b"Traceback (most recent call last)" in answer.body:
            reasons.append("shows a traceback")
        self.wrong += [f"{reason}: {what[:300]}" for reason in reasons]
        return answer


def known_addresses(sites: Iterable[Site]) -> dict[str, dict[str, str]]:
    """Return for every reached route the parts of a real address of it, quoted."""
    found: dict[str, dict[str, str]] = {}
    for site in sites:
        for name, paths in site.addresses.items():
            match = resolve(paths[0], "config.urls")
            found.setdefault(name, {key: quote(str(value)) for key, value in match.kwargs.items()})
    return found
