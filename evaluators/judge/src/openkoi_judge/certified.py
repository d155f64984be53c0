"""What certificates say of a rubric, as the newest one that fits tells it. Knows their files; knows no run.

They are written by whoever certifies. One that cannot be read, or is for the rubric as it was before, says nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from openkoi_hookspecs import Evaluation, Finding, Record, Severity
from openkoi_hookspecs.events import ModelResponse

FOLDER, FORMAT = "certificates", 1
NAMED = re.compile(r"[^A-Za-z0-9.-]+")
MOST_LENIENT = 0.2
ENOUGH = 0.85
NO_CERTIFICATE = "it has no certificate for {model}"
NOT_PASSED = "its certificate for {model} is not passed: {reasons}"
UNCERTIFIED = "the judgement by {rubric} informs and does not decide: {why}"
INFORMS = "The judgement by {rubric} informs and does not decide: {why}. Run `openkoi evaluator certify {rubric}`."


@dataclass(frozen=True, slots=True)
class Certificate:
    """What one says: for which model, whether it was passed, and how well defects and sound work were told apart."""

    model: str
    passed: bool
    merit: float
    detection: float = 1.0
    leniency: float = 0.0
    reasons: tuple[str, ...] = ()

    @property
    def overlooks(self) -> bool:
        """Whether it accepted so many planted defects that its acceptance is not taken for granted."""
        return not self.passed and self.detection < ENOUGH


@dataclass(frozen=True, slots=True)
class Certified:
    """The certificates of one rubric as it is now, oldest first."""

    certificates: tuple[Certificate, ...] = ()

    @property
    def merit(self) -> float:
        """How well it judges; below all others where nobody knows."""
        return self.certificates[-1].merit if self.certificates else -1.0

    @property
    def leniency(self) -> float:
        """How much higher than the threshold takes them for its scores are."""
        return self.certificates[-1].leniency if self.certificates else 0.0

    @property
    def overlooks(self) -> bool:
        """Whether the newest says that it overlooks defects."""
        return bool(self.certificates) and self.certificates[-1].overlooks

    def lacking(self, model: str) -> str:
        """Why a judgement by this model may not decide; empty when it may."""
        mine = [one for one in self.certificates if one.model == model]
        if not mine:
            return NO_CERTIFICATE.format(model=model or "the model that judged")
        return "" if mine[-1].passed else NOT_PASSED.format(model=model, reasons="; ".join(mine[-1].reasons))


def certified(folder: Path | None, rubric: str, stamp: str) -> Certified:
    """Read those of a rubric that are for it as it is now."""
    place = folder / FOLDER / NAMED.sub("-", rubric) if folder else None
    files = sorted(place.glob("*.json")) if place else []
    return Certified(tuple(read for file in files for read in certificate(file, stamp)))


def certificate(file: Path, stamp: str) -> Iterator[Certificate]:
    """One, if it can be read and fits."""
    try:
        facts = json.loads(file.read_text(encoding="utf-8"))
        if facts["format"] == FORMAT and facts["stamp"] == stamp:
            yield certificate_of(facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return


def certificate_of(facts: Mapping[str, object]) -> Certificate:
    """Take the facts of a file; raises where one is missing or odd."""
    measures, reasons = facts["measures"], facts["reasons"]
    if not isinstance(measures, dict) or not isinstance(reasons, list):
        raise TypeError("its measures or reasons are none")
    lenient = min(MOST_LENIENT, max(0.0, float(str(facts["leniency"]))))
    found, alarms = float(measures["detection"]), float(measures["false_alarms"])
    said = tuple(map(str, reasons))
    return Certificate(str(facts["model"]), facts["passed"] is True, found - alarms, found, lenient, said)


def model_of(records: Iterable[Record], run: str) -> str:
    """The model that judged last in a run; empty when none did."""
    asked = (record.event for record in records if record.run == run)
    models = [event.model for event in asked if isinstance(event, ModelResponse) and event.role == "evaluator"]
    return models[-1] if models else ""


def informing(evaluation: Evaluation) -> Evaluation:
    """The same without what decides: no score, no check, and no blocker; what was found is still worth mending."""
    findings = tuple(softened(finding) for finding in evaluation.findings)
    return replace(evaluation, scores=(), checks=(), findings=findings)


def softened(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.IMPORTANT) if finding.severity is Severity.BLOCKER else finding
