"""Bytes by content hash, and trees of them. A tree holds no reference and no history (B6)."""

from __future__ import annotations

from django.db import models

from corpus.models.fields import sha256_field


class Blob(models.Model):
    """Bytes exactly as received. Withdrawn bytes leave digest and tombstone behind (N5)."""

    sha256 = sha256_field(unique=True)
    size = models.PositiveBigIntegerField()
    data = models.BinaryField()
    # Facts of the bytes, counted once: lines end at 0x0A only.
    line_count = models.PositiveIntegerField()
    longest_line = models.PositiveIntegerField()
    is_binary = models.BooleanField()
    withdrawn_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class Tree(models.Model):
    """One directory by the hash of its listing; unchanged directories are shared across trees and cases."""

    sha256 = sha256_field(unique=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class TreeEntry(models.Model):
    """One name in a directory: a file (`blob`), a directory (`child`) or a submodule (`commit`)."""

    tree = models.ForeignKey(Tree, on_delete=models.CASCADE, related_name="entries")
    name = models.BinaryField(max_length=1024)
    # `name` as readable text: UTF-8 as it is, other bytes escaped; unique in its directory.
    name_text = models.CharField(max_length=4096)
    mode = models.CharField(max_length=6)
    blob = models.ForeignKey(Blob, on_delete=models.PROTECT, null=True, related_name="+")
    child = models.ForeignKey(Tree, on_delete=models.PROTECT, null=True, related_name="+")
    commit = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["tree", "name_text"], name="tree_entry_name_unique"),
            models.CheckConstraint(
                name="tree_entry_one_target",
                condition=(
                    models.Q(blob__isnull=False, child__isnull=True, commit="")
                    | models.Q(blob__isnull=True, child__isnull=False, commit="")
                    | (models.Q(blob__isnull=True, child__isnull=True) & ~models.Q(commit=""))
                ),
            ),
        )

    def __str__(self) -> str:
        return self.name_text
