"""Read the certificates of a rubric.

`openkoi evaluator certify` writes them. An invalid one, or one for an earlier version of the rubric, is ignored.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from openkoi_hookspecs import Evaluation, Finding, Record, Severity
from openkoi_hookspecs.events import ModelResponse
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern

FOLDER, FORMAT = "certificates", 1
INVALID_NAME_CHARACTERS = lazy_pattern(r"[^A-Za-z0-9.-]+")
MAX_LENIENCY = 0.2  # the most that a certificate can subtract from a judge's scores (estimate)
MIN_DETECTION = 0.85  # judges that find fewer of the planted defects are also tested with half of the work (estimate)
NO_CERTIFICATE = "{model} has no certificate"
NOT_PASSED = "{model} failed certification ({reasons})"
UNCERTIFIED = "the judgment by {rubric} is informational: {why}"
INFORMS = "The judgment by {rubric} is informational: {why}. Run `openkoi evaluator certify {rubric}`."


@dataclass(frozen=True, slots=True)
class RubricCertificate:
    """A certificate: its model, whether it passed, and how well the judge separated defects from sound work."""

    model: str
    passed: bool
    merit: float
    detection: float = 1.0
    leniency: float = 0.0
    reasons: tuple[str, ...] = ()

    @property
    def overlooks(self) -> bool:
        """Whether it accepted so many planted defects that its acceptance is not trusted."""
        return not self.passed and self.detection < MIN_DETECTION


@dataclass(frozen=True, slots=True)
class RubricCertificates:
    """The certificates of one rubric in its current version, oldest first."""

    certificates: tuple[RubricCertificate, ...] = ()

    @property
    def merit(self) -> float:
        """How well the rubric judges, or -1 without a certificate."""
        return self.certificates[-1].merit if self.certificates else -1.0

    @property
    def leniency(self) -> float:
        """How far its scores lie above the quality threshold."""
        return self.certificates[-1].leniency if self.certificates else 0.0

    @property
    def overlooks(self) -> bool:
        """Whether the newest certificate says that it overlooks defects."""
        return bool(self.certificates) and self.certificates[-1].overlooks

    def reason_not_decisive(self, model: str) -> str:
        """Return why a judgment by this model may not decide, or an empty string."""
        mine = [one for one in self.certificates if one.model == model]
        if not mine:
            return NO_CERTIFICATE.format(model=model or "the model that judged")
        return "" if mine[-1].passed else NOT_PASSED.format(model=model, reasons="; ".join(mine[-1].reasons))


def load_certificates(folder: Path | None, rubric: str, stamp: str) -> RubricCertificates:
    """Load the certificates for a rubric's current version."""
    place = folder / FOLDER / INVALID_NAME_CHARACTERS.sub("-", rubric) if folder else None
    files = sorted(place.glob("*.json")) if place else []
    return RubricCertificates(tuple(read for file in files for read in read_certificate(file, stamp)))


def read_certificate(file: Path, stamp: str) -> Iterator[RubricCertificate]:
    """Yield the certificate in a file, if it is valid and matches the rubric."""
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        if facts["format"] == FORMAT and facts["stamp"] == stamp:
            yield parse_certificate(facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return


def parse_certificate(facts: Mapping[str, object]) -> RubricCertificate:
    """Parse a certificate; raise when a field is missing or invalid."""
    measures, reasons = facts["measures"], facts["reasons"]
    if not isinstance(measures, dict) or not isinstance(reasons, list):
        raise TypeError("its measures or reasons are missing")
    lenient = min(MAX_LENIENCY, max(0.0, float(str(facts["leniency"]))))
    found, alarms = float(measures["detection"]), float(measures["false_alarms"])
    texts = tuple(map(str, reasons))
    return RubricCertificate(str(facts["model"]), facts["passed"] is True, found - alarms, found, lenient, texts)


def last_judge_model(records: Iterable[Record], run: str) -> str:
    """Return the model that judged last in a run, or an empty string."""
    asked = (record.event for record in records if record.run == run)
    models = [event.model for event in asked if isinstance(event, ModelResponse) and event.role == "evaluator"]
    return models[-1] if models else ""


def make_informational(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation without scores, checks and blockers; findings remain useful."""
    findings = tuple(downgrade_blocker(finding) for finding in evaluation.findings)
    return replace(evaluation, scores=(), checks=(), findings=findings)


def downgrade_blocker(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.IMPORTANT) if finding.severity is Severity.BLOCKER else finding
