"""Derived from blobs, and remade whenever it is missing."""

from __future__ import annotations

from django.db import models

from corpus.models.cases import CaseFile
from corpus.models.fields import sha256_field


class HighlightedBlob(models.Model):
    """The token runs of a blob for one lexer and Pygments version; empty where it is shown plain."""

    blob_sha256 = sha256_field()
    lexer = models.CharField(max_length=60)
    version = models.CharField(max_length=20)
    runs = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["blob_sha256", "lexer", "version"], name="highlighted_blob_unique"),
        )

    def __str__(self) -> str:
        return f"{self.blob_sha256[:12]} as {self.lexer}"


class DrawnFile(models.Model):
    """The rows of one file's diff in one layout, as HTML, packed. `version` names the code that drew them.

    It holds words of the file, so withdrawing a blob deletes it (N5); readers leave it out besides.
    """

    case_file = models.ForeignKey(CaseFile, on_delete=models.CASCADE, related_name="+")
    layout = models.CharField(max_length=8)
    version = models.CharField(max_length=40)
    html = models.BinaryField()
    has_bidi = models.BooleanField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["case_file", "layout"], name="drawn_file_unique"),)

    def __str__(self) -> str:
        return f"{self.case_file} drawn {self.layout}"
