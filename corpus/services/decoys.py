"""Decoys: claims made so that every case has some to judge (B4)."""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings
from django.db import transaction

from corpus import clock
from corpus.domain.decoys import decoy_statement, pick
from corpus.domain.vocabulary import AnchorLevel, AnchorRole, Side
from corpus.models import Case, CaseFile, Category, Claim, ClaimAnchor
from corpus.selectors.projects import stamps_in_force


def case_seed(case: Case) -> bytes:
    """Return the server's seed of a case's decoys, which nobody can compute from outside."""
    return hmac.new(f"decoys {settings.SECRET_KEY}".encode(), case.public_id.encode(), hashlib.sha256).digest()


@transaction.atomic
def make_decoy(*, case: Case, category: Category, file: CaseFile) -> Claim:
    """Store a decoy about a changed file in a category; its place is the whole file on the side that exists."""
    path = file.new_path_text or file.old_path_text
    position = Claim.objects.filter(case=case, origin=Claim.DECOY).count()
    claim = Claim.objects.create(
        case=case,
        position=position,
        origin=Claim.DECOY,
        statement=decoy_statement(
            category_key=category.key,
            category_name=category.name,
            path=path,
            seed=case_seed(case) + position.to_bytes(4, "big"),
        ),
        category_key=category.key,
        created_at=clock.now(),
    )
    blob = file.new_blob if file.new_path_text else file.old_blob
    ClaimAnchor.objects.create(
        claim=claim,
        role=AnchorRole.PRIMARY,
        level=AnchorLevel.FILE,
        path=path,
        side=Side.NEW if file.new_path_text else Side.OLD,
        blob_sha256=blob.sha256 if blob else "",
    )
    return claim


@transaction.atomic
def ensure_claims(*, case: Case) -> None:
    """Give a case without any claim a decoy, so that it has a claims pass like every other; else change nothing."""
    Case.objects.select_for_update(no_key=True).only("pk").get(pk=case.pk)
    if Claim.objects.filter(case=case).exists():
        return
    seed = case_seed(case)
    taxonomy = stamps_in_force(case.project).taxonomy_id
    categories = list(Category.objects.filter(taxonomy_id=taxonomy, in_scope=True).order_by("position"))
    files = list(case.files.filter(is_binary=False).order_by("position")) or list(case.files.order_by("position"))
    if not categories or not files:
        return
    make_decoy(
        case=case,
        category=categories[pick(seed, len(categories), "category")],
        file=files[pick(seed, len(files), "file")],
    )
