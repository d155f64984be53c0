"""The model and the evaluator of a drawn world, each with a random stream of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import field
from random import Random

from openkoi_hookspecs import Check, Evaluation, Finding, Score, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass

from .facts import chosen, claims_about, name_of, names_condition, subject_in
from .structure import DIMENSIONS, Fact, Structure
from .truth import DrawnTruth
from .words import ADVICE, ASPECTS, CONDITIONS, FILLERS, LINTERS, PLATITUDES, TITLES, WORKS
from .world import GymTask, Prompt

GUESS_AGAIN = 0.5  # share of subjects that a model reconsiders when it does not learn what is wrong
BLOCKER_SHARE = 0.7


@dataclass(slots=True)
class Actors:
    """The model, which follows what it reads, and the evaluator, which reports what is wrong."""

    like: Structure
    truth: DrawnTruth
    seed: int
    model: Random = field(init=False)
    judge: Random = field(init=False)
    habits: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model, self.judge = Random(f"model {self.seed}"), Random(f"judge {self.seed}")
        for fact in self.truth.facts:
            knows = self.model.random() < self.like.knows
            self.habits[fact.key] = fact.values[0] if knows else fact.values[3]

    def attempt(self, prompt: Prompt) -> str:
        """Return a work: one line for each subject of the task, and a few that say nothing."""
        lines = [self.line(fact, self.choose(fact, prompt)) for fact in self.truth.find_needed(prompt.task)]
        fillers = [] if self.like.file else self.model.sample(FILLERS, 2)
        return "\n".join([*fillers[:1], *lines, *fillers[1:]])

    def line(self, fact: Fact, value: str) -> str:
        """Write a value down."""
        form = WORKS[1] if self.like.file else self.model.choice(WORKS)
        return form.format(s=name_of(fact, None if self.like.file else self.model), v=value)

    def choose(self, fact: Fact, prompt: Prompt) -> str:
        """Return the advised value if it is obeyed; else an earlier or habitual one."""
        tried = [value for work in prompt.tried if (value := chosen(fact, work))]
        if not tried:
            return self.obey(fact, prompt.task, prompt.shown) or self.habits[fact.key]
        return self.obey(fact, prompt.task, prompt.feedback) or self.try_again(fact, prompt.feedback, tried)

    def obey(self, fact: Fact, task: GymTask, lines: Sequence[str]) -> str:
        """Return a value that the lines advise for this task, unless the model ignores them."""
        relevant = [line for line in lines if not names_condition(fact, line) or names_condition(fact, task.text)]
        special = [line for line in relevant if names_condition(fact, line)]
        claims = [claim for line in special or relevant for claim in claims_about(fact, line)]
        denied = {claim.value for claim in claims if claim.denied}
        choose_advice = sorted({claim.value for claim in claims} - denied)
        if choose_advice and self.model.random() < self.like.obeys:
            return self.model.choice(choose_advice)
        habit = self.habits[fact.key]
        return self.model.choice([one for one in fact.values if one not in denied]) if habit in denied else ""

    def try_again(self, fact: Fact, feedback: Sequence[str], tried: Sequence[str]) -> str:
        """Return another value if the fact is blamed, or perhaps if nothing is; else the same as before."""
        names = [one.lower() for one in ASPECTS[fact.aspect]]
        named = any(name in line.lower() for line in feedback for name in names)
        vague = not any(name.lower() in line.lower() for line in feedback for some in ASPECTS for name in some)
        if named or (vague and self.model.random() < GUESS_AGAIN):
            return self.model.choice([one for one in fact.values if one not in tried] or list(fact.values))
        return tried[-1]

    def evaluate(self, task: GymTask, work: str, *, first: bool) -> Evaluation:
        """Return checks, a score and findings."""
        facts = list(self.truth.find_needed(task))
        good = {fact.key: self.seems_right(fact, task, work, first=first) for fact in facts}
        wrong = [fact for fact in facts if not good[fact.key]]
        return Evaluation(
            checks=tuple(self.checks(facts, good)),
            scores=(Score("overall", max(0.05, 0.95 - 0.3 * len(wrong))),),
            findings=tuple(self.findings(wrong, task, work)),
        )

    def seems_right(self, fact: Fact, task: GymTask, work: str, *, first: bool) -> bool:
        """Return whether a value looks right; occasionally a right one does not, at first."""
        right = chosen(fact, work) == self.truth.right(task.project, subject_in(fact, task.text))
        return right and not (first and self.judge.random() < self.like.noise)

    def checks(self, facts: Sequence[Fact], good: dict[str, bool]) -> Iterator[Check]:
        """Yield the checks of this world."""
        if self.like.checks == "task":
            yield Check("acceptance", passed=all(good.values()))
        elif self.like.checks == "fact":
            yield from (Check(check_name(fact), passed=good[fact.key]) for fact in facts)

    def findings(self, wrong: Sequence[Fact], task: GymTask, work: str) -> Iterator[Finding]:
        """Yield findings about wrong facts, and occasionally one that applies to any work."""
        report = self.lint if self.like.form == "linter" else self.finding
        yield from (report(fact, task, work) for fact in wrong)
        if self.judge.random() < self.like.platitudes:
            title, fix = self.judge.choice(PLATITUDES)
            yield Finding(title, self.judge.choice((Severity.IMPORTANT, Severity.SUGGESTION)), rule="style", fix=fix)

    def lint(self, fact: Fact, task: GymTask, work: str) -> Finding:
        """Return a finding as a linter prints it: a code, the place, what was found and what is expected."""
        used, name = chosen(fact, work), name_of(fact, None)
        title = LINTERS[self.like.linter].format(
            used=used.strip("`"), v=self.choose_advice(fact, task).strip("`"), s=name
        )
        lines = [number for number, line in enumerate(work.splitlines(), 1) if used and used.strip("`") in line]
        where = f"notes/decisions.txt:{lines[0]}" if self.like.file and lines else ""
        if names_condition(fact, task.text) and self.judge.random() < 0.5:
            title = f"{title} {self.judge.choice(CONDITIONS[fact.condition])}"
        code = "DEP001" if self.like.one_rule else f"HSE{100 + int(fact.key[1:])}"
        return Finding(title, Severity.IMPORTANT, rule=code, where=where)

    def finding(self, fact: Fact, task: GymTask, work: str) -> Finding:
        """Return one finding about a fact."""
        random = self.judge
        name = name_of(fact, random if self.like.reworded else None)
        title = random.choice(TITLES).format(s=name)
        advice = "" if random.random() < self.like.silent else self.advice(fact, task, name)
        severity = Severity.BLOCKER if random.random() < BLOCKER_SHARE else Severity.IMPORTANT
        choose_advice = {"fix": "", "detail": "", self.like.advised_in: advice}
        title = choose_advice.pop("title", "") or title
        return Finding(title, severity, rule=self.rule(fact), where=self.where(), **choose_advice)

    def advice(self, fact: Fact, task: GymTask, name: str) -> str:
        """Return advice, which is occasionally wrong."""
        value = self.choose_advice(fact, task)
        text = self.judge.choice(ADVICE).format(v=value, s=name)
        if names_condition(fact, task.text) and self.judge.random() < 0.5:
            return f"{text[:-1]} {self.judge.choice(CONDITIONS[fact.condition])}."
        return text

    def choose_advice(self, fact: Fact, task: GymTask) -> str:
        """Return the value that a finding advises, which is occasionally wrong."""
        right = self.truth.right(task.project, subject_in(fact, task.text))
        wrong = self.judge.random() < self.like.wrong_advice
        return self.judge.choice([one for one in fact.values if one != right]) if wrong else right

    def rule(self, fact: Fact) -> str:
        """Return what identifies a finding, if anything does."""
        if self.like.form == "dimension":
            return DIMENSIONS[fact.aspect % len(DIMENSIONS)]
        if self.like.form == "rule":
            return "house-rules" if self.like.one_rule else check_name(fact)
        return ""

    def where(self) -> str:
        """Return the location of a finding."""
        return f"notes/decisions.txt:{self.judge.randint(1, 6)}" if self.like.file else ""


def check_name(fact: Fact) -> str:
    """Return the name of a fact's check: opaque for every second one."""
    if fact.aspect % 2:
        return f"check_{fact.key[1:]}"
    return f"test_{ASPECTS[fact.aspect][0].replace(' ', '_')}_{fact.key[1:]}"
