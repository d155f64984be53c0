"""Compare linter findings with those from before the task (the baseline), which are kept in the log."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from hashlib import blake2b
from typing import Any

from openkoi_hookspecs import Baseline, Finding, Json
from openkoi_hookspecs.lazy_dataclass import dataclass

from .messages import LinterOutput

DIGEST_BYTES = 8  # of a finding's identity: a project of 50,000 findings takes 1 MB of log, and no two are alike


@dataclass(frozen=True, slots=True)
class LinterBaseline:
    """One linter's findings before the task, counted by digest, and whether it ran and checked everything.

    With ``later``, they are derived from the work's diff at the evaluation. ``cut``: the linter reported too much to
    read.
    """

    seen: Mapping[str, int]
    broke: bool = False
    sound: bool = True
    later: bool = False
    cut: bool = False


@dataclass(frozen=True, slots=True)
class LintBaseline:
    """What each linter found before the task, and which files the task changed."""

    linters: Mapping[str, LinterBaseline] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    def with_linters(self, linters: Mapping[str, LinterBaseline]) -> "LintBaseline":
        """Return the baseline with the facts about these linters."""
        return replace(self, linters={**self.linters, **linters})

    @property
    def working(self) -> frozenset[str]:
        """Names of the linters that ran before the task."""
        return frozenset(name for name, then in self.linters.items() if not then.broke)

    def new_findings(self, now: LinterOutput) -> tuple[Finding, ...]:
        """Return the new findings in changed files; elsewhere too when the task certainly caused them."""
        then = self.linters.get(now.linter)
        new = tuple(subtract_baseline(now.findings, then.seen if then else {}))
        everywhere = not self.files or (now.wide and then is not None and then.sound)
        return new if everywhere else tuple(finding for finding in new if self.has_changed_file(finding))

    def has_changed_file(self, finding: Finding) -> bool:
        """Return whether the task changed the finding's file; a finding without a file is about the linter itself."""
        return not finding.where or file_of(finding) in self.files


def make_baseline(outputs: Sequence[LinterOutput], later: Collection[str] = ()) -> Baseline:
    """Return the record of the linters' findings; checks are about new findings, so none can fail yet."""
    state: dict[str, Json] = {
        one.linter: {
            "seen": {} if one.cut else dict(Counter(map(digest_finding, one.findings))),
            "broke": one.broke,
            "sound": one.sound,
            "later": one.linter in later,
            "cut": one.cut,
        }
        for one in outputs
    }
    return Baseline("", state=state)


def read_baseline(record: Baseline | None, files: tuple[str, ...]) -> LintBaseline:
    """Return the baseline in a record, also in one of an earlier version."""
    state: Any = (record.state if record else None) or {}
    return LintBaseline({name: LinterBaseline(**one) for name, one in state.items()}, files)


def subtract_baseline(findings: Sequence[Finding], old: Mapping[str, int]) -> list[Finding]:
    """Return the findings of each identity beyond the known number, which are the last ones."""
    seen: Counter[str] = Counter()
    new = []
    for finding in findings:
        key = digest_finding(finding)
        seen[key] += 1
        if seen[key] > old.get(key, 0):
            new.append(finding)
    return new


def file_of(finding: Finding) -> str:
    """Return the path of a finding's file; empty if it is about the linter itself."""
    return finding.where.rpartition(":")[0]


def digest_finding(finding: Finding) -> str:
    """Return a short digest of a finding that does not depend on its line."""
    text = "\0".join(finding.key).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=DIGEST_BYTES).hexdigest()
