"""Routes of versions."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from corpus.views import freezing, version_comparison, versions

urlpatterns: list[URLPattern | URLResolver] = [
    path("versions/", versions.version_list, name="version_list"),
    path("versions/export.csv", versions.version_list_csv, name="version_list_csv"),
    path("versions/freeze/", freezing.version_freeze, name="version_freeze"),
    path("versions/compare/", version_comparison.version_compare_choose, name="version_compare_choose"),
    path("versions/<str:number>/compare/<str:other>/", version_comparison.version_compare, name="version_compare"),
    path(
        "versions/<str:number>/compare/<str:other>/<slug:form>/",
        version_comparison.version_compare_as,
        name="version_compare_as",
    ),
    path("versions/<str:number>/", versions.version_page, name="version_page"),
    path("versions/<str:number>/manifest.json", versions.version_manifest, name="version_manifest"),
    path("versions/<str:number>/manifest.sig", versions.version_signature, name="version_signature"),
    path("versions/<str:number>/exports/<slug:format_name>.zip", versions.version_export, name="version_export"),
    path(
        "versions/<str:number>/exports/<slug:format_name>/",
        versions.version_export_facts,
        name="version_export_facts",
    ),
]
