"""What the linters found before the work, and what is new since; kept as a baseline in the log."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from openkoi_hookspecs import Baseline, Finding, Json

from .messages import Heard

DIGEST_BYTES = 8  # of a finding's identity: a project of 50,000 findings takes 1 MB of log, and no two are alike


@dataclass(frozen=True, slots=True)
class Then:
    """One linter before the work: its findings by digest, and whether it worked at all and saw everything."""

    seen: Mapping[str, int]
    broke: bool = False
    sound: bool = True


@dataclass(frozen=True, slots=True)
class Before:
    """What each linter found before the work began, and which files the work changed."""

    linters: Mapping[str, Then] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def broke(self, linter: str) -> bool:
        """Whether it did not do its work then."""
        return linter in self.linters and self.linters[linter].broke

    @property
    def working(self) -> frozenset[str]:
        """The linters that did their work then."""
        return frozenset(name for name, then in self.linters.items() if not then.broke)

    def fresh(self, now: Heard) -> tuple[Finding, ...]:
        """What is new, in what the work changed; elsewhere too when that is certain to be the work's doing."""
        then = self.linters.get(now.linter)
        new = tuple(surplus(now.findings, then.seen if then else {}))
        everywhere = not self.files or (now.wide and then is not None and then.sound)
        return new if everywhere else tuple(finding for finding in new if self.touched(finding))

    def touched(self, finding: Finding) -> bool:
        """Whether the work changed this file; a finding about no file is about the linter itself."""
        return not finding.where or finding.where.rpartition(":")[0] in self.files


def baseline_of(heard: Sequence[Heard]) -> Baseline:
    """The record of what the linters found. Their checks are about what is new, so that none of them can be red yet."""
    state: dict[str, Json] = {
        one.linter: {"seen": dict(Counter(map(digest, one.findings))), "broke": one.broke, "sound": one.sound}
        for one in heard
    }
    return Baseline("", state=state)


def before_of(record: Baseline | None, files: tuple[str, ...]) -> Before:
    """What a record says."""
    state: Any = (record.state if record else None) or {}
    return Before({name: Then(one["seen"], one["broke"], one["sound"]) for name, one in state.items()}, files)


def surplus(findings: Sequence[Finding], old: Mapping[str, int]) -> list[Finding]:
    """The findings beyond those that there were, of each identity the last ones."""
    seen: Counter[str] = Counter()
    new = []
    for finding in findings:
        key = digest(finding)
        seen[key] += 1
        if seen[key] > old.get(key, 0):
            new.append(finding)
    return new


def digest(finding: Finding) -> str:
    """A short name for what a finding is, whatever line it is at."""
    text = "\0".join(finding.key).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
