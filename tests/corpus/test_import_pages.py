"""A lead imports by page: preview, located errors, commit, result; and nobody else does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.domain.vocabulary import CaseState, Role
from corpus.models import Blob, Case, Exposure, ImportBatch, Job
from corpus.services import jobs
from corpus.services.seats import open_seat
from tests import factories
from tests.corpus.test_import_command import BAD_SOURCES
from tests.corpus.test_imports import PATCH, git, lines_of, other_patch, repository

__all__ = ["repository"]


def text_of(response) -> str:
    """Return what a page says, without markup."""
    import html

    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


def upload(client: Client, project, data: bytes, name: str = "change.patch", query: str = "", **fields: str):
    form = {"from": "upload", "upload-format": "", "upload-source_kind": "expert", "upload-split": "dev"}
    form |= {f"upload-{key}": value for key, value in fields.items()}
    form["upload-file"] = SimpleUploadedFile(name, data)  # type: ignore[assignment]
    return client.post(reverse("import_new", args=[project.slug]) + query, form)


def test_an_upload_is_previewed_committed_and_shown(client_of, project, people) -> None:
    client = client_of(people.lead)
    data = lines_of({"patch": PATCH.decode(), "title": "First"}, {"patch": 5})
    answer = upload(client, project, data, "cases.jsonl", repository="pay", source_kind="seeded")
    batch = ImportBatch.objects.get()
    assert answer.url == reverse("import_page", args=[project.slug, batch.public_id])
    shown = text_of(client.get(answer.url))
    assert "Nothing is imported yet" in shown
    assert "Import 1 record" in shown
    assert '"patch" must be a text, but is 5' in shown
    assert not Case.objects.exists()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    case = Case.objects.get()
    assert (case.title, case.repository, case.source_kind) == ("First", "pay", "seeded")
    shown = text_of(client.get(answer.url))
    assert "Imported" in shown
    assert case.public_id in shown
    assert "line 2" in text_of(client.get(answer.url + "?outcome=rejected"))
    assert "line 1" not in text_of(client.get(answer.url + "?outcome=rejected"))
    assert "cases.jsonl" in text_of(client.get(reverse("import_list", args=[project.slug])))


def test_the_change_of_a_record_is_read_before_it_is_imported(client_of, project, people) -> None:
    client = client_of(people.lead)
    upload(client, project, lines_of({"patch": PATCH.decode()}, {"patch": other_patch(1).decode()}), "two.jsonl")
    batch = ImportBatch.objects.get()
    records = [reverse("import_record", args=[project.slug, batch.public_id, position]) for position in (0, 1, 2)]
    assert records[1] in client.get(reverse("import_page", args=[project.slug, batch.public_id])).content.decode()
    for layout in ("unified", "split"):
        for address, patch in zip(records, (PATCH, other_patch(1)), strict=False):
            page = client.get(f"{address}?layout={layout}")
            added = [line[1:] for line in patch.decode().split("\n") if line.startswith("+") and line[:3] != "+++"]
            assert added
            for line in added:
                assert line.strip() in text_of(page)
            assert "hx-get" not in page.content.decode()
    assert client.get(records[2]).status_code == 404
    assert not Case.objects.exists()


def test_a_discarded_import_leaves_no_case(client_of, project, people) -> None:
    client = client_of(people.lead)
    upload(client, project, PATCH)
    batch = ImportBatch.objects.get()
    answer = client.post(reverse("import_discard", args=[project.slug, batch.public_id]), follow=True)
    assert "was discarded; no case came of it" in text_of(answer)
    answer = client.post(reverse("import_commit", args=[project.slug, batch.public_id]), follow=True)
    assert "This import was discarded; upload the file again." in text_of(answer)
    assert not Case.objects.exists()


def test_a_large_import_is_a_job_whose_progress_can_be_polled(client_of, project, people) -> None:
    client = client_of(people.lead)
    upload(client, project, lines_of(*({"patch": other_patch(number).decode()} for number in range(30))), "c.jsonl")
    batch = ImportBatch.objects.get()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    assert not Case.objects.exists()
    progress = reverse("import_progress", args=[project.slug, batch.public_id])
    waiting = client.get(progress)
    assert 'hx-trigger="every 1s"' in waiting.content.decode()
    assert "HX-Refresh" not in waiting.headers
    jobs.run_next_job()
    done = client.get(progress)
    assert done.headers["HX-Refresh"] == "true"
    assert "hx-trigger" not in done.content.decode()
    assert (Case.objects.count(), Job.objects.get().done_items) == (30, 30)


@pytest.mark.parametrize(("name", "data", "says"), BAD_SOURCES, ids=[name for name, _, _ in BAD_SOURCES])
def test_bad_input_is_answered_on_the_form_by_one_sentence(
    client_of, project, people, name: str, data: bytes, says: str
) -> None:
    answer = upload(client_of(people.lead), project, data, name)
    assert answer.status_code == 422
    errors = re.findall(r'<ul class="errorlist"[^>]*><li>(.*?)</li></ul>', answer.content.decode(), re.DOTALL)
    assert len(errors) == 1
    assert re.search(says, errors[0])
    assert name in errors[0]
    assert not any(model.objects.exists() for model in (Case, ImportBatch, Blob))


def test_an_upload_over_the_limit_is_not_kept_while_it_arrives(client_of, project, people, settings) -> None:
    settings.UPLOAD_LIMIT_BYTES = 1024 * 1024
    answer = upload(client_of(people.lead), project, b"+" * 3 * 1024 * 1024, "huge.patch")
    assert answer.status_code == 422
    assert "huge.patch is too large: the limit is 1 MiB, so split it or leave files out." in text_of(answer)


def test_a_form_without_a_file_says_what_to_choose(client_of, project, people) -> None:
    answer = client_of(people.lead).post(
        reverse("import_new", args=[project.slug]), {"upload-source_kind": "guess", "upload-split": "dev"}
    )
    assert answer.status_code == 422
    assert "Choose a file" in text_of(answer)
    assert '"guess" is no answer to "Source kind"' in text_of(answer)


def test_hostile_names_and_titles_are_shown_as_text(client_of, project, people) -> None:
    client = client_of(people.lead)
    record = {"patch": PATCH.decode(), "title": "<script>alert(1)</script>", "message": "</pre><img src=x onerror=y>"}
    upload(client, project, lines_of(record), "<b>.jsonl")
    batch = ImportBatch.objects.get()
    for address in (reverse("import_page", args=[project.slug, batch.public_id]),):
        assert "<script>alert" not in client.get(address).content.decode()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    page = client.get(reverse("case_page", args=[project.slug, Case.objects.get().public_id])).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<img src=x" not in page


def test_an_incomplete_case_is_given_its_change_by_page(client_of, project, people) -> None:
    client = client_of(people.lead)
    case = factories.make_incomplete_case(project)
    page = client.get(reverse("case_page", args=[project.slug, case.public_id]))
    assert "The change is missing" in text_of(page)
    address = reverse("import_new", args=[project.slug]) + f"?case={case.public_id}"
    assert address in page.content.decode()
    assert case.public_id in text_of(client.get(address))
    upload(client, project, PATCH, query=f"?case={case.public_id}")
    client.post(reverse("import_commit", args=[project.slug, ImportBatch.objects.get().public_id]))
    case.refresh_from_db()
    assert (case.state, Case.objects.count()) == (CaseState.READY, 1)
    assert client.get(address).status_code == 404, "a case that has its change takes no other"


def test_a_repository_below_the_import_root_is_imported(client_of, project, people, settings, repository: Path) -> None:
    settings.IMPORT_ROOT = str(repository.parent)
    client = client_of(people.lead)
    form = {"from": "repository", "repository-source_kind": "expert", "repository-split": "dev"}
    form |= {"repository-path": "payments", "repository-base": "base", "repository-head": "head"}
    client.post(reverse("import_new", args=[project.slug]), form)
    batch = ImportBatch.objects.get()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    jobs.run_next_job()
    assert Case.objects.get().head_commit == git(repository, "rev-parse", "head")
    assert not (repository.parent / "ran").exists()


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("..", "leads out of the import directory"),
        ("/etc", "leads out of the import directory"),
        ("link", "leads out of the import directory"),
        (".", "leads out of the import directory"),
        ("nowhere", "There is no repository"),
        ("empty", "is no git repository"),
        ("a\0b", '"Path" holds a NUL character'),
    ],
)
def test_a_repository_elsewhere_is_refused(client_of, project, people, settings, tmp_path, path, says) -> None:
    root = tmp_path / "root"
    (root / "empty").mkdir(parents=True)
    (root / "link").symlink_to("/etc")
    settings.IMPORT_ROOT = str(root)
    form = {"from": "repository", "repository-source_kind": "expert", "repository-split": "dev"}
    form |= {"repository-path": path, "repository-head": "main"}
    answer = client_of(people.lead).post(reverse("import_new", args=[project.slug]), form)
    assert answer.status_code == 422
    assert says in text_of(answer)
    assert not ImportBatch.objects.exists()


def test_without_an_import_root_the_page_takes_no_repository(client_of, project, people, repository: Path) -> None:
    client = client_of(people.lead)
    assert "From a repository" not in text_of(client.get(reverse("import_new", args=[project.slug])))
    form = {"from": "repository", "repository-path": str(repository), "repository-head": "head"}
    assert client.post(reverse("import_new", args=[project.slug]), form).status_code == 422
    assert not ImportBatch.objects.exists()


def test_a_lead_with_an_open_seat_does_not_see_that_record(client_of, project, people) -> None:
    client = client_of(people.lead)
    findings = [{"summary": "s", "severity": "Secretive"}]
    record = {"patch": PATCH.decode(), "title": "Hidden title", "findings": findings}
    upload(client, project, lines_of(record), "c.jsonl")
    batch = ImportBatch.objects.get()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    address = reverse("import_page", args=[project.slug, batch.public_id])
    assert "Secretive" in text_of(client.get(address))
    open_seat(case=Case.objects.get(), user=people.lead)
    shown = text_of(client.get(address))
    assert "Secretive" not in shown
    assert "Hidden title" not in shown


def test_seeing_a_record_of_a_case_is_an_exposure(client_of, project, people) -> None:
    client = client_of(people.lead)
    upload(client, project, PATCH)
    batch = ImportBatch.objects.get()
    client.post(reverse("import_commit", args=[project.slug, batch.public_id]))
    assert not Exposure.objects.exists()
    client.get(reverse("import_page", args=[project.slug, batch.public_id]))
    assert Exposure.objects.filter(user=people.lead, kind="hidden_fields", case=Case.objects.get()).exists()


def test_only_leads_of_the_project_import(client_of, project, people) -> None:
    upload(client_of(people.lead), project, PATCH)
    batch = ImportBatch.objects.get()
    other = factories.make_project(lead=people.outsider, name="Elsewhere")
    for user in (people.reviewer_a, people.adjudicator, people.analyst, people.outsider):
        client = client_of(user)
        assert client.get(reverse("import_list", args=[project.slug])).status_code == 404
        assert client.get(reverse("import_new", args=[project.slug])).status_code == 404
        assert upload(client, project, PATCH).status_code == 404
        for name in ("import_page", "import_progress"):
            assert client.get(reverse(name, args=[project.slug, batch.public_id])).status_code == 404
        for name in ("import_commit", "import_discard"):
            assert client.post(reverse(name, args=[project.slug, batch.public_id])).status_code == 404
    foreign = client_of(people.outsider)
    for name in ("import_commit", "import_discard"):
        assert foreign.post(reverse(name, args=[other.slug, batch.public_id])).status_code == 404
    assert not Case.objects.exists()


def test_the_list_of_imports_takes_as_many_queries_for_many_as_for_few(
    client_of, project, people, django_assert_num_queries
) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = client_of(people.lead)
    address = reverse("import_list", args=[project.slug])
    for number in range(2):
        upload(client, project, other_patch(number))
    client.get(address)
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    wanted = len(few)
    for number in range(2, 12):
        upload(client, project, other_patch(number))
    with django_assert_num_queries(wanted):
        client.get(address)


def test_a_lead_who_reviews_too_sees_imports_as_a_lead(client_of, project, people) -> None:
    factories.make_member(project, people.lead, Role.REVIEWER)
    assert client_of(people.lead).get(reverse("import_list", args=[project.slug])).status_code == 200
