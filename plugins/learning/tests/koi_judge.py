"""A judge behind the evaluator socket: it looks at the work, and speaks of faults in other words each time.

Now and then it calls right work wrong, advises what is wrong too, or finds something that is a matter of taste.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from koi_words import EXPECTING, FIXES, PLAIN, TITLES, TRAPS, Family
from koi_world import Truths

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Run, Score, Severity

FILE = "settings.toml"
TASTE = ("Naming could be clearer", "A comment is missing", "Too long for what it does", "Style")


@dataclass(slots=True)
class Judge:
    """Knows what is right. ``wronged`` counts first attempts that were right and called wrong."""

    truths: Truths
    seed: int = 0
    wronged: int = 0
    judges: ClassVar[bool] = True
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"judge {self.truths.like.name} {self.seed}")

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """What it says of the work as it stands."""
        said, first = self.handed_in(work, run), not run.iterations
        needs, project = self.truths.needs(run.task.text), run.task.project
        good = {one.slot: self.holds(one, said, project, first=first) for one in needs}
        wrong = [one for one in needs if not good[one.slot]]
        checks = tuple(Check(f"test_{slot}", passed=right) for slot, right in good.items())
        score = Score("correctness", max(0.05, 0.95 - 0.35 * len(wrong)))
        like = self.truths.like
        return Evaluation(
            checks=checks if like.checks else (),
            scores=(score,),
            findings=tuple(self.findings(wrong, project)),
            suggestion=self.suggestion(wrong, needs, project),
        )

    def handed_in(self, work: ExecutionResult, run: Run) -> str:
        """What is to be judged."""
        path = run.workspace / FILE
        if self.truths.like.output == "file":
            return path.read_text(encoding="utf-8") if path.is_file() else ""
        return work.text

    def holds(self, family: Family, said: str, project: str, *, first: bool) -> bool:
        """Whether a thing is right, as far as it can tell."""
        right = self.truths.right[project][family.slot]
        good = right in said and not any(value in said for value in family.values if value != right)
        if good and first and self.random.random() < self.truths.like.noise:
            self.wronged += 1
            return False
        return good

    def findings(self, wrong: Sequence[Family], project: str) -> Iterator[Finding]:
        """What is wrong, each thing in some words; and what is not to its taste."""
        if self.truths.like.says != "hint":
            yield from (self.finding(one, project) for one in wrong)
        if self.random.random() < self.truths.like.taste:
            yield Finding(self.random.choice(TASTE), Severity.SUGGESTION, rule="style", fix="Look at it once more.")

    def finding(self, family: Family, project: str) -> Finding:
        """One fault."""
        like, random = self.truths.like, self.random
        severity = Severity.BLOCKER if random.random() < 0.7 else Severity.IMPORTANT
        title = random.choice(TITLES).format(a=random.choice(family.names))
        rule = f"test_{family.slot}" if random.random() < like.rules else ""
        where = f"{FILE}:1" if like.output == "file" and random.random() < 0.5 else ""
        if like.says == "bare":
            return Finding(title, severity, rule=rule, where=where)
        if like.says == "fix":
            return Finding(title, severity, rule=rule, where=where, fix=self.worded(FIXES, family, project))
        expected = self.worded(EXPECTING, family, project)
        if random.random() < 0.5:
            return Finding(expected, severity, rule=rule, where=where)
        return Finding(title, severity, rule=rule, where=where, detail=expected)

    def worded(self, forms: Sequence[str], family: Family, project: str) -> str:
        """A sentence about what is right; now and then about what is wrong too."""
        right = self.truths.right[project][family.slot]
        misled = self.random.random() < self.truths.like.misleads
        value = self.random.choice([one for one in family.values if one != right]) if misled else right
        said = f"`{value}`" if self.truths.like.marked else value
        return self.random.choice(forms).format(a=self.random.choice(family.names), t=family.thing, v=said)

    def suggestion(self, wrong: Sequence[Family], needs: Sequence[Family], project: str) -> str:
        """One line of advice: all that there is to learn from, where there are no findings; or a trap."""
        like = self.truths.like
        if like.says == "hint":
            return " ".join(f"{self.worded(PLAIN, one, project)}." for one in wrong)
        green = [one for one in needs if one not in wrong]
        if not (wrong and green and self.random.random() < like.traps):
            return ""
        one = self.random.choice(green)
        astray = f"`{self.truths.trap[project][one.slot]}`"
        return self.random.choice(TRAPS).format(v=astray, a=self.random.choice(one.names))
