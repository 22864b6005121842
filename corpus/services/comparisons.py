"""Two frozen versions compared from their stored bytes, and who was shown the result (B2)."""

from __future__ import annotations

from corpus.domain.manifest import ManifestError, parse_manifest
from corpus.domain.manifest_records import Manifest
from corpus.domain.version_compare import Comparison, compare_versions
from corpus.domain.vocabulary import Channel, ExposureKind
from corpus.models import Case, CorpusVersion, User
from corpus.services.exports import VersionDamaged, manifest_bytes
from corpus.services.exposures import record_exposure


def compare_frozen(before: CorpusVersion, after: CorpusVersion) -> Comparison:
    """Return the comparison of two versions of one project. Raises VersionDamaged."""
    return compare_versions(_manifest(before), before.manifest_sha256, _manifest(after), after.manifest_sha256)


def _manifest(version: CorpusVersion) -> Manifest:
    data = manifest_bytes(version)
    try:
        return parse_manifest(data)
    except ManifestError as error:
        raise VersionDamaged(f"The manifest of version {version.number} cannot be read: {error}.") from error


def record_compared(*, comparison: Comparison, version: CorpusVersion, user: User, channel: Channel) -> None:
    """Note that `user` was told of the golden findings that a comparison names."""
    told = {change.case_id for change in comparison.changes if change.tells_truth and change.case_id}
    if told:
        cases = Case.objects.filter(project_id=version.project_id, public_id__in=told)
        record_exposure(user=user, cases=cases, kind=ExposureKind.GOLDEN_FINDING, channel=channel)
