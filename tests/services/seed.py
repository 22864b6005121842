"""Fills a fresh database with what the scenarios need, through the product's services, and prints what it holds.

Run as a process of its own, with the settings of the server that will use the database.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import django

REVIEWERS = ("ada", "ben", "cid")
PULLERS = tuple(f"puller{number}" for number in range(20))
QUEUED = 12


def fill(pair_count: int) -> dict[str, Any]:
    """Store people, cases, rounds, seats, drafts and a compared round; return the names of all that.

    `pair_count` rounds seat the same two people.
    """
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.hashers import make_password
    from django.contrib.sessions.backends.db import SessionStore

    from corpus.domain.vocabulary import Role
    from corpus.models import User
    from corpus.services import jobs
    from labeling.models import Assignment
    from labeling.services import rounds, submission
    from tests import factories
    from tests.labeling.seats import DEFECT, NOTE, label

    people: dict[str, User] = {}
    hashed = make_password(factories.PASSWORD)
    for name in ("lead", *REVIEWERS, *PULLERS, "adjudicator", "analyst", "outsider"):
        people[name] = User(email=f"{name}@example.org", name=name.capitalize(), password=hashed)
        people[name].save()
    lead = people["lead"]
    project = factories.make_project(lead=lead)
    for name in (*REVIEWERS, *PULLERS):
        factories.make_member(project, people[name], Role.REVIEWER)
    factories.make_member(project, people["adjudicator"], Role.ADJUDICATOR)
    factories.make_member(project, people["analyst"], Role.ANALYST)
    foreign = factories.make_project(lead=people["outsider"], name="Foreign corpus")

    def seated(*names: str) -> dict[str, Any]:
        case = factories.make_case(project)
        round_ = rounds.open_round(case=case, actor=lead, reviewers=[people[name] for name in names])
        seats = {name: round_.assignments.get(reviewer=people[name]).public_id for name in names}
        return {"case": case.public_id, "round": round_.public_id, "seats": seats}

    pairs = [seated("ada", "ben") for _ in range(pair_count)]
    queued = [
        rounds.open_round(case=factories.make_case(project), actor=lead, queue_open=True).public_id
        for _ in range(QUEUED)
    ]
    ready = [factories.make_case(project).public_id for _ in range(3)]
    patch_only = factories.make_case(project, patch_only=True).public_id
    factories.make_incomplete_case(project)

    drafted = seated("ada", "cid")
    draft = label(Assignment.objects.get(public_id=drafted["seats"]["ada"]), DEFECT)

    compared = seated("ada", "ben")
    for name, fields, verdict in (("ada", DEFECT, "has_defects"), ("ben", NOTE, "clean")):
        seat = Assignment.objects.select_related("case__project", "reviewer").get(public_id=compared["seats"][name])
        label(seat, fields)
        answer = submission.save_answer(
            assignment=seat,
            reviewer=seat.reviewer,
            verdict=verdict,
            missing_context="",
            summary="",
            expected_version=0,
        )
        submission.submit(assignment=seat, reviewer=seat.reviewer, expected_version=answer.version, final=True)

    def session(user: User) -> str:
        store = SessionStore()
        store[SESSION_KEY] = str(user.pk)
        store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        store[HASH_SESSION_KEY] = user.get_session_auth_hash()
        store.create()
        return str(store.session_key)

    foreign_case = factories.make_case(foreign)
    return {
        "sessions": {name: session(user) for name, user in people.items()},
        "project": project.slug,
        "foreign": foreign.slug,
        "password": factories.PASSWORD,
        "pairs": pairs,
        "queued": queued,
        "ready": ready,
        "patch_only": patch_only,
        "drafted": {**drafted, "label": draft.public_id},
        "compared": compared,
        "foreign_case": foreign_case.public_id,
        "job": jobs.enqueue(kind="echo", project=project, created_by=lead, subject="hello").public_id,
    }


if __name__ == "__main__":
    django.setup()
    sys.stdout.write(json.dumps(fill(int(sys.argv[1]))) + "\n")
