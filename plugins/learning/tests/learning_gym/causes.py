"""Determine why first attempts failed despite available knowledge: by subject, the first cause that applies.

Only the scorer reads the truth: the learner sees nothing of this.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field

from openkoi_hookspecs import Result
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.learners import Memory, find_advice, work_of
from openkoi_testing.gym.world import Claim, GymTask, Truth

CAUSES = (
    "never observed",
    "observed, not an entry",
    "an entry, archived",
    "an entry, held out",
    "an entry, not selected",
    "a wrong line shown",
    "right and wrong lines shown",
    "right line shown, not obeyed",
)


@dataclass(slots=True)
class CauseCounter:
    """Count the needed subjects that a first attempt handled wrong, by cause; and how many were needed."""

    truth: Truth
    counts: Counter[str] = field(default_factory=Counter)
    needed: int = 0
    observed: defaultdict[str, set[Claim]] = field(default_factory=lambda: defaultdict(set))
    read: dict[str, frozenset[Claim]] = field(default_factory=dict)

    def count(self, task: GymTask, prompt_lines: Sequence[str], result: Result, memory: Memory) -> None:
        """Count the subjects of a task, then note what its run let a learner observe."""
        work = self.truth.claims(work_of(result.iterations[0]), task)
        for subject in self.truth.needs(task):
            self.needed += 1
            right = self.truth.right(task.project, subject)
            if not any(claim.subject == subject and claim.value == right for claim in work):
                self.counts[self.cause(Claim(subject, right), task, prompt_lines, memory)] += 1
        for one in result.iterations:
            self.observed[task.project] |= set(find_advice(self.truth, task, one))
        if result.accepted:
            self.observed[task.project] |= set(self.truth.claims(work_of(result.best), task))

    def cause(self, right: Claim, task: GymTask, prompt_lines: Sequence[str], memory: Memory) -> str:
        """Return why the right value was not chosen."""
        shown_claims = {claim for line in prompt_lines for claim in self.claims(line) if is_about(claim, right)}
        wrong = any((claim.value == right.value) is claim.denied for claim in shown_claims)
        if any(claim.value == right.value and not claim.denied for claim in shown_claims):
            return CAUSES[6] if wrong else CAUSES[7]
        if wrong:
            return CAUSES[5]
        saying = [one for one in memory.items if one.project in ("", task.project) and self.says(one.text, right)]
        if any(one.text in memory.held_out for one in saying):
            return CAUSES[3]
        if saying:
            return CAUSES[4] if any(one.live for one in saying) else CAUSES[2]
        return CAUSES[1] if any(is_same(one, right) for one in self.observed[task.project]) else CAUSES[0]

    def says(self, text: str, right: Claim) -> bool:
        """Return whether a text says to use a value for a subject, with its exception or without."""
        return any(is_same(claim, right) for claim in self.claims(text))

    def claims(self, text: str) -> frozenset[Claim]:
        """Return the claim in a text, read once."""
        if text not in self.read:
            self.read[text] = frozenset(self.truth.claims(text))
        return self.read[text]


def is_about(claim: Claim, right: Claim) -> bool:
    """Return whether a claim is about a subject, with its exception or without."""
    return claim.subject.rstrip("|") == right.subject.rstrip("|")


def is_same(claim: Claim, right: Claim) -> bool:
    """Return whether a claim says to use a value for a subject."""
    return is_about(claim, right) and claim.value == right.value and not claim.denied


def format_causes(courses: Mapping[str, Sequence["CauseCounter"]]) -> str:
    """Format the share of needed subjects that were wrong, by cause, a column for each learner."""
    lines = [f"{'wrong at first, of needed':32}" + "".join(f"{who:>10}" for who in courses)]
    for cause in (*CAUSES, ""):
        shares = [mean_share(counters, cause) for counters in courses.values()]
        lines.append(f"{cause or 'all':32}" + "".join(f"{share:10.3f}" for share in shares))
    return "\n".join(lines)


def mean_share(counters: Sequence[CauseCounter], cause: str) -> float:
    """Return the mean over worlds of the share of needed subjects that were wrong for a cause, or for any."""
    shares = [(one.counts[cause] if cause else one.counts.total()) / max(1, one.needed) for one in counters]
    return sum(shares) / len(shares)
