"""Routes of agreement."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from labeling.views import agreement

urlpatterns: list[URLPattern | URLResolver] = [
    path("agreement/", agreement.agreement, name="agreement"),
    path("agreement/breakdown/", agreement.agreement_breakdown, name="agreement_breakdown"),
    path("agreement/time/", agreement.agreement_time, name="agreement_time"),
    path("agreement/confusion/", agreement.agreement_confusion, name="agreement_confusion"),
    path("agreement/cases/", agreement.agreement_cases, name="agreement_cases"),
    path("agreement/missed/", agreement.agreement_missed, name="agreement_missed"),
    path("agreement/guidelines/", agreement.agreement_guidelines, name="agreement_guidelines"),
    path("agreement/reviewers/", agreement.agreement_reviewers, name="agreement_reviewers"),
    path("agreement/planning/", agreement.agreement_planning, name="agreement_planning"),
    path("agreement/figures.csv", agreement.agreement_csv, name="agreement_csv"),
    path("agreement/study.json", agreement.agreement_study, name="agreement_study"),
]
