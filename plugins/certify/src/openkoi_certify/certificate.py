"""A certificate: how well one rubric and one model judged at one time, and whether that will do. Knows no judge.

Kept one file each, ours alone: never a project's. It holds for the rubric as it was read, and the model that answered.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, fields
from pathlib import Path

from openkoi_base.files.private_files import replace_file
from openkoi_hookspecs import KoiError

from .measures import Measures, drift_of

FORMAT = 1
FOLDER = "certificates"
NAMED = re.compile(r"[^A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Limit:
    """How much of a measure is too much or too little, and what is said then."""

    measure: str
    most: float
    words: str

    def broken(self, value: float) -> str:
        """The sentence about a value that passes the limit; empty for one that does not."""
        return self.words.format(value=value, most=self.most) if value > self.most + 1e-9 else ""


LIMITS = (
    Limit("missed", 0.15, "it accepts {value:.0%} of the works with a planted defect; {most:.0%} may pass"),
    Limit("false_alarms", 0.2, "it rejects {value:.0%} of the sound works; {most:.0%} may be"),
    Limit("spread", 0.12, "its scores of one work differ by {value:.2f} (standard deviation); {most:.2f} may be"),
    Limit("leniency", 0.0, "its scores are {value:.2f} too high for the threshold"),
    Limit("verbosity", 0.01, "longer words raise its score by {value:.2f} beyond noise"),
    Limit("position", 0.01, "the order of the files moves its score by {value:.2f} beyond noise"),
    Limit("obeyed", 0.05, "it accepts defective work {value:.0%} oftener when the work tells it to"),
    Limit("unreadable", 0.05, "{value:.0%} of its answers cannot be read"),
    Limit("drift", 0.02, "its scores have moved by {value:.2f} beyond noise since its last certificate"),
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was measured, of what, when. ``stamp`` is another one whenever the rubric is; ``golden`` the samples'."""

    rubric: str
    stamp: str
    model: str
    _: KW_ONLY
    golden: str
    at: str
    votes: int
    measures: Measures
    drift: float | None = None

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not passed."""
        values = {"missed": 1 - self.measures.detection, "drift": abs(self.drift or 0.0)}
        found = (
            limit.broken(values[limit.measure] if limit.measure in values else getattr(self.measures, limit.measure))
            for limit in LIMITS
        )
        return tuple(filter(None, found))

    @property
    def passed(self) -> bool:
        """Whether its judgement may decide."""
        return not self.reasons


def as_json(certificate: Certificate) -> dict[str, object]:
    """The certificate as it is kept."""
    measures = {key: round_numbers(value) for key, value in asdict(certificate.measures).items()}
    facts = {
        name: getattr(certificate, name) for name in ("rubric", "stamp", "model", "golden", "at", "votes", "drift")
    }
    verdict = {"passed": certificate.passed, "reasons": list(certificate.reasons)}
    return {"format": FORMAT, **facts, **verdict, "leniency": certificate.measures.leniency, "measures": measures}


def round_numbers(value: object) -> object:
    """Round numbers to four digits."""
    if isinstance(value, dict):
        return {key: round_numbers(inner) for key, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value


def from_json(text: str) -> Certificate:
    """Read one; raises KoiError for what is none."""
    try:
        facts = json.loads(text)
        given = {field.name: facts["measures"][field.name] for field in fields(Measures)}
        plain = {name: facts[name] for name in ("golden", "at", "votes", "drift")}
        if facts["format"] != FORMAT:
            raise ValueError("another format")
        return Certificate(facts["rubric"], facts["stamp"], facts["model"], measures=Measures(**given), **plain)
    except (ValueError, KeyError, TypeError) as error:
        raise KoiError(f"it is not a certificate of format {FORMAT} ({type(error).__name__}: {error})") from error


def keep(folder: Path, certificate: Certificate) -> Path:
    """Write it beside the older ones."""
    name = f"{NAMED.sub('-', certificate.at)}.{NAMED.sub('-', certificate.model)}.json"
    text = json.dumps(as_json(certificate), indent=2, ensure_ascii=False) + "\n"
    return replace_file(folder / NAMED.sub("-", certificate.rubric) / name, text)


def load_certificates(folder: Path, rubric: str = "*") -> Iterator[Certificate]:
    """Those there are, oldest first; what cannot be read is none."""
    for file in sorted(folder.glob(f"{NAMED.sub('-', rubric) if rubric != '*' else rubric}/*.json")):
        try:
            yield from_json(file.read_text(encoding="utf-8"))
        except (KoiError, OSError, UnicodeDecodeError):
            continue


def last_of(certificates: Sequence[Certificate], certificate: Certificate) -> Certificate | None:
    """The last one that this one can be compared with: the same model, rubric and samples."""
    same = (certificate.rubric, certificate.stamp, certificate.model, certificate.golden)
    found = [one for one in certificates if (one.rubric, one.stamp, one.model, one.golden) == same]
    return sound_basis(found)


def sound_basis(found: Sequence[Certificate]) -> Certificate | None:
    """The newest that was passed, so that one that has drifted does not become the measure of the next; else any."""
    passed = [one for one in found if one.passed]
    return (passed or found)[-1] if found else None


def drift_between(certificate: Certificate, before: Certificate | None) -> float | None:
    """How far it has moved since; None where there is nothing to compare it with."""
    return drift_of(certificate.measures.scores, before.measures.scores) if before else None
