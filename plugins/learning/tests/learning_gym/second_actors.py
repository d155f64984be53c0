"""Act in the worlds of the second generator: a model that writes, and an evaluator that reads."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

from learning_gym.second_truth import Found, Reader, SecondTruth, base_of, capital, find_value
from learning_gym.second_words import LINTER_TEMPLATES, PARAPHRASES, PLATITUDES, WIDE, Subject, paraphrase
from openkoi_hookspecs import Check, Evaluation, Finding, Score, Severity
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.world import Claim, GymTask, Prompt

DIMENSIONS = ("conventions", "completeness", "fit for purpose")
SENTENCES = ("The {name} is {value}.", "For the {name} we settled on {value}.", "{Name}: {value}.")
MISSING = "nothing"


@dataclass(frozen=True, slots=True)
class Habits:
    """A model's habits in a project, how often it obeys a line, and how often it wavers without advice."""

    values: Mapping[tuple[str, str], str]
    obeys: float
    wavers: float


class Model:
    """Write works: by its advice, where it obeys, else by habit."""

    def __init__(self, seed: str, reader: Reader, *, habits: Habits) -> None:
        """Take a random stream of its own."""
        self.seed, self.reader, self.habits = seed, reader, habits
        self.options = {one.name: one.values for one in reader.plan.used}

    def write(self, prompt: Prompt, *, number: int) -> str:
        """Return a work in which each subject has a value."""
        plan = self.reader.plan
        lines = [f"# {prompt.task.text}" if plan.domain.path else prompt.task.text]
        for name in plan.base_needs(prompt.task):
            rng = Random(f"{self.seed}/model/{number}/{len(prompt.tried)}/{name}")
            lines.append(self._show(name, self._decide(name, prompt, rng), rng))
        return "\n".join(lines)

    def _show(self, name: str, value: str, rng: Random) -> str:
        """Return a line of the work."""
        if self.reader.plan.domain.path:
            return f"{name.replace(' ', '_')}: {value}"
        return rng.choice(SENTENCES).format(name=name, Name=capital(name), value=value)

    def _decide(self, name: str, prompt: Prompt, rng: Random) -> str:
        """Choose the value of a subject."""
        subject = self.reader.plan.in_task(name, prompt.task)
        obeys, wavers = rng.random() < self.habits.obeys, rng.random() < self.habits.wavers
        tried = [find_value(self.reader.plan.domain, name, work).value for work in prompt.tried]
        feedback = self._find_claims(prompt.feedback, subject, prompt.task)
        if tried and not (feedback and obeys):
            return tried[-1]
        claims = self._find_claims(prompt.shown, subject, prompt.task) if obeys else []
        choice = follow(feedback, avoid=tried) or follow(claims, avoid=tried)
        if choice:
            return choice
        habit = self.habits.values.get((prompt.task.project, subject), "")
        refused = {*tried, *(one.value for one in (*feedback, *claims) if one.denied)}
        free = [value for value in self.options[name] if value not in refused]
        return rng.choice(free) if free and (habit in refused or wavers) else habit

    def _find_claims(self, lines: Iterable[str], subject: str, task: GymTask) -> list[Claim]:
        """Return the claims of lines about a subject of a task, in order."""
        claims = (sorted(self.reader.claims(line, task), key=lambda one: one.value) for line in lines)
        return [claim for several in claims for claim in several if claim.subject == subject]


def follow(claims: Sequence[Claim], *, avoid: Sequence[str]) -> str:
    """Return the value that most lines advise, of equals the last; empty if none is left."""
    votes = Counter[str]()
    for claim in claims:
        votes[claim.value] += -1 if claim.denied else 1
    left = {value: count for value, count in votes.items() if count > 0 and value not in avoid}
    last = {claim.value: place for place, claim in enumerate(claims)}
    return max(left, key=lambda value: (left[value], last[value]), default="")


class Style(Protocol):
    """How an evaluator works and words its findings."""

    @property
    def checks(self) -> str:
        """Checks per fact, per task, or none."""

    @property
    def findings(self) -> str:
        """Findings by rule, by dimension, or free text."""

    @property
    def wording(self) -> str:
        """Paraphrases by templates, by synonyms, or both."""

    @property
    def layout(self) -> str:
        """The part of a finding that says what to do."""

    @property
    def names_condition(self) -> float:
        """How often a finding states its condition."""

    @property
    def stubborn(self) -> bool:
        """Whether wrong advice about a fact is always the same."""

    @property
    def platitudes(self) -> float:
        """How often a platitude is added."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What the evaluator sees of a subject in a work."""

    subject: str
    found: Found
    passed: bool


class Evaluator:
    """Judge works by reading them."""

    def __init__(self, seed: str, truth: SecondTruth, *, style: Style) -> None:
        """Take a random stream of its own."""
        self.seed, self.truth, self.plan, self.style = seed, truth, truth.plan, style
        rng = Random(f"{seed}/evaluator")
        self.linter = rng.choice(LINTER_TEMPLATES)
        self.dimensions = {one.name: rng.choice(DIMENSIONS) for one in self.plan.used}
        self.subjects = {one.name: one for one in self.plan.used}

    def judge(self, task: GymTask, work: str, *, stream: str) -> Evaluation:
        """Return checks, scores and findings of a work."""
        rng = Random(f"{self.seed}/evaluator/{stream}")
        facts = [self._look(task, subject, work) for subject in self.truth.needs(task)]
        findings = [self._report(task, one, stream) for one in facts if not one.passed]
        if rng.random() < self.style.platitudes:
            severity = rng.choice((Severity.IMPORTANT, Severity.SUGGESTION))
            findings.insert(rng.randint(0, len(findings)), Finding(rng.choice(PLATITUDES), severity))
        failed = sum(not one.passed for one in facts)
        log = f"{failed} failed, {len(facts) - failed} passed" if self.style.checks != "none" else ""
        return Evaluation(
            checks=self._checks(facts), scores=self._scores(facts, rng), findings=tuple(findings), log=log
        )

    def _look(self, task: GymTask, subject: str, work: str) -> Observation:
        found = find_value(self.plan.domain, base_of(subject), work)
        return Observation(subject, found, found.value == self.truth.right(task.project, subject))

    def _checks(self, facts: Sequence[Observation]) -> tuple[Check, ...]:
        """Return the checks: of each fact, of the task, or none."""
        file = f"tests/test_{self.plan.domain.name}.py"
        if self.style.checks == "per fact":
            names = [base_of(one.subject).replace(" ", "_").replace("-", "_") for one in facts]
            return tuple(
                Check(f"{file}::test_{name}", one.passed, file=file) for name, one in zip(names, facts, strict=True)
            )
        return (Check("acceptance", all(one.passed for one in facts)),) if self.style.checks == "per task" else ()

    def _scores(self, facts: Sequence[Observation], rng: Random) -> tuple[Score, ...]:
        """Return a judge's opinions, which together are good enough only where nothing is wrong."""
        if self.style.findings != "dimension":
            share = sum(one.passed for one in facts) / len(facts)
            middle = 0.92 if share == 1 else 0.3 + 0.35 * share
            return (Score("quality", round(middle + rng.uniform(-0.05, 0.05), 2)),)
        bad = {self.dimensions[base_of(one.subject)] for one in facts if not one.passed}
        return tuple(
            Score(one, round((0.3 if one in bad else 0.9) + rng.uniform(-0.05, 0.05), 2)) for one in DIMENSIONS
        )

    def _report(self, task: GymTask, fact: Observation, stream: str) -> Finding:
        """Report wrong values with advice, which is occasionally wrong."""
        rng = Random(f"{self.seed}/evaluator/{stream}/{fact.subject}")
        subject = self.subjects[base_of(fact.subject)]
        value = self._advice(task, fact, rng)
        text = self._sentence(subject, fact.found.value or MISSING, value, rng)
        return self._lay_out(subject, self._limit(fact.subject, text, rng), fact.found.line)

    def _advice(self, task: GymTask, fact: Observation, rng: Random) -> str:
        """Return the value to advise."""
        right = self.truth.right(task.project, fact.subject)
        if rng.random() >= self.truth.wrong_advice:
            return right
        stream = Random(f"{self.seed}/belief/{task.project}/{fact.subject}") if self.style.stubborn else rng
        values = self.subjects[base_of(fact.subject)].values
        order = stream.sample(values, len(values))
        return next(value for value in order if value not in (right, fact.found.value))

    def _sentence(self, subject: Subject, used: str, value: str, rng: Random) -> str:
        """Word a finding: always the same as a linter does, or in one of ten ways."""
        if self.style.findings == "rule":
            return self.linter.format(name=subject.name, used=used, value=value)
        return paraphrase(subject, used, value, number=rng.randrange(PARAPHRASES), wording=self.style.wording)

    def _limit(self, subject: str, text: str, rng: Random) -> str:
        """State the condition of a finding, if there is an exception; or that it always applies."""
        name = base_of(subject)
        condition = self.plan.exceptions.get(name)
        if condition is None:
            return f"{rng.choice(WIDE)}{text}" if name in self.plan.wide and rng.random() < 0.5 else text
        if rng.random() >= self.style.names_condition:
            return text
        phrase = rng.choice(condition.advice)
        return f"{text} (Except {phrase}.)" if subject == name else f"{capital(phrase)}: {text}"

    def _lay_out(self, subject: Subject, text: str, line: int) -> Finding:
        """Put a sentence into a finding."""
        where = f"{self.plan.domain.path}:{line}" if self.plan.domain.path else ""
        if self.style.findings == "rule":
            return Finding(capital(text), rule=subject.code, where=where)
        rule = self.dimensions[subject.name] if self.style.findings == "dimension" else ""
        if self.style.layout == "detail":
            return Finding(f"Problem with the {subject.name}", rule=rule, where=where, detail=text)
        if self.style.layout == "fix":
            return Finding(f"The {subject.name} is off", rule=rule, where=where, fix=text)
        return Finding(capital(text), rule=rule, where=where)
