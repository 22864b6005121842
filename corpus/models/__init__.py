"""Tables of the corpus, one module per noun."""

from corpus.models.audit import AuditEntry, AuditSeal, SealedEntry
from corpus.models.blobs import Blob, Tree, TreeEntry
from corpus.models.cases import Case, CaseFile, CaseHunk, CaseSeat, CaseTag, Claim, ClaimAnchor, Exposure
from corpus.models.golden import GoldenAnchor, GoldenFinding, GoldenRevision
from corpus.models.people import Expertise, Invitation, Membership, User
from corpus.models.projects import (
    Category,
    ContractVersion,
    GuidelinesVersion,
    Project,
    SeverityLevel,
    SeverityPolicyVersion,
    TaxonomyVersion,
    WorkingPolicyVersion,
)
from corpus.models.rendering import DrawnFile, HighlightedBlob
from corpus.models.tokens import ApiToken, ApiTokenScope
from corpus.models.versions import CorpusVersion, VersionCase, VersionFinding, VersionGate, VersionSignature
from corpus.models.work import ImportBatch, ImportRecord, Job

__all__ = [
    "ApiToken",
    "ApiTokenScope",
    "AuditEntry",
    "AuditSeal",
    "Blob",
    "Case",
    "CaseFile",
    "CaseHunk",
    "CaseSeat",
    "CaseTag",
    "Category",
    "Claim",
    "ClaimAnchor",
    "ContractVersion",
    "CorpusVersion",
    "DrawnFile",
    "Expertise",
    "Exposure",
    "GoldenAnchor",
    "GoldenFinding",
    "GoldenRevision",
    "GuidelinesVersion",
    "HighlightedBlob",
    "ImportBatch",
    "ImportRecord",
    "Invitation",
    "Job",
    "Membership",
    "Project",
    "SealedEntry",
    "SeverityLevel",
    "SeverityPolicyVersion",
    "TaxonomyVersion",
    "Tree",
    "TreeEntry",
    "User",
    "VersionCase",
    "VersionFinding",
    "VersionGate",
    "VersionSignature",
    "WorkingPolicyVersion",
]
