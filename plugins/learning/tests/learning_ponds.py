"""Define worlds that differ only in parameters: their wording, their judges, their changes.

Each has things to do in several projects, and for each thing one way that is right there. A model does not know them,
follows what it is shown more or less, and reads of its faults in other words each time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from learning_builders import patch

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    NextAction,
    Plan,
    Result,
    Score,
    Severity,
    Task,
)

WORDS = {
    "order": "purchase", "ship": "vessel", "guest": "visitor", "ticket": "voucher", "crew": "staff", "harbour": "port",
    "menu": "bill of fare", "room": "cabin", "export": "dump", "mask": "form", "digest": "summary", "alarm": "alert",
    "import": "intake", "ledger": "journal", "planner": "roster", "gallery": "album", "sorter": "ranking",
    "cleaner": "purge", "badge": "label", "counter": "tally",
}  # fmt: skip
HEADS, TAILS = tuple(WORDS)[:8], tuple(WORDS)[8:]
VERBS = ("build", "mend", "widen", "tidy up", "check", "port", "speed up", "rework")
ASIDES = ("by noon", "for the fair", "as agreed", "without fuss", "again", "for our partners", "in two steps", "")
SAYS = ("The {t} comes out wrong", "{t}: not what was asked for", "Trouble with the {t}", "The {t} is rejected")
VAGUE = ("The result is not what was asked for", "Something is off in the output", "This is rejected", "Not right yet")
FIXES = ("Do the {t} with {v}.", "{v} is right for the {t}.", "Give the {t} {v}.", "For the {t} choose {v}.")
HINTS = ("Do it with {v}.", "{v} is right here.", "Choose {v} instead.", "It has to be {v}.")
COLOURS = ("amber", "birch", "cedar", "ember", "fjord", "grove", "heath", "ivory", "kelp", "lilac", "maple", "pearl")
STUFFS = (
    "anchor", "brush", "candle", "drum", "easel", "funnel", "gasket", "hinge", "inkwell", "jigsaw", "kettle", "ladle",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """The parameters of a world. ``way`` is how a right way is written: as a name, an option, words or a number.

    ``reworded`` is how often a word gives way to another of the same meaning, ``noise`` how often right work is called
    wrong, ``misleads`` how often a finding advises what is wrong too, ``obeys`` how often advice is followed. ``rule``
    says by which rule things are found wrong: one for each, one for all, none. ``vague`` findings name no thing.
    """

    name: str
    way: str = "name"
    reworded: float = 0.3
    noise: float = 0.03
    misleads: float = 0.12
    lucky: float = 0.1
    taste: float = 0.15
    obeys: float = 0.97
    knows: float = 0.1
    projects: int = 2
    things: int = 24
    more: float = 0.4
    often: float = 0.12
    rule: str = "own"
    checks: bool = True
    vague: float = 0.0
    drift: float = 0.25


VARIATIONS = (
    Variation(name="names"),
    Variation(name="one rule", way="option", rule="one", noise=0.1),
    Variation(name="four projects", projects=4, more=0.0, often=0.05),
    Variation(name="vague", vague=0.4, rule="none"),
    Variation(name="judge only", checks=False, rule="one", misleads=0.2, taste=0.4),
    Variation(name="half-hearted", obeys=0.8, misleads=0.25, noise=0.05, drift=0.4, more=0.5),
    Variation(name="numbers", way="number", reworded=0.4, things=20),
    Variation(name="plain words", way="words", reworded=0.2),
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing to do, and the ways to do it: one is right in a project, the others are traps."""

    head: str
    tail: str
    ways: tuple[str, ...]
    right: int

    @property
    def name(self) -> str:
        return f"{self.head} {self.tail}"

    @property
    def way(self) -> str:
        """The way that is right."""
        return self.ways[self.right]

    def chosen_in(self, text: str) -> list[str]:
        """The ways of this thing that a text names; a common word counts only beside the thing."""
        message = f" {text.lower()} "
        here = all(word in message or WORDS[word] in message for word in (self.head, self.tail))
        return [way for way in self.ways if way in text and (here or " " not in way)]


def ways_of(number: int, how: str, random: Random) -> tuple[str, ...]:
    """Three ways to do a thing."""
    if how == "number":
        return tuple(f"{value} seconds" for value in random.sample(range(10, 100), 3))
    if how == "words":
        return tuple(f"{colour} {STUFFS[number % 12]}" for colour in random.sample(COLOURS, 3))
    forms = {"name": "`{}_{}{}`", "option": "--{}-{}-{:02}"}
    return tuple(forms[how].format(kind, STUFFS[number % 12], number) for kind in ("quick", "sure", "bare"))


@dataclass(slots=True)
class Pond:
    """A seeded world of one variation. Projects come in pairs: what is right in one is a trap in the other."""

    like: Variation
    seed: int
    random: Random = field(init=False)
    projects: dict[str, list[Thing]] = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        pairs = [(head, tail) for tail in TAILS for head in HEADS]
        self.random.shuffle(pairs)
        ways = [ways_of(number, self.like.way, self.random) for number in range(self.like.things)]
        self.projects = {
            f"pond{one}": [
                Thing(*pair, way, one % 2) for pair, way in zip(pairs[: self.like.things], ways, strict=True)
            ]
            for one in range(self.like.projects)
        }

    def drift(self) -> None:
        """Make a share of the right ways wrong from now on."""
        for project, things in self.projects.items():
            self.projects[project] = [
                replace(one, right=2) if self.random.random() < self.like.drift else one for one in things
            ]

    def task(self) -> tuple[Task, list[Thing]]:
        """A task's text, and the things it needs."""
        project = self.random.choice(list(self.projects))
        many = self.projects[project]
        needs = [many[min(int(self.random.expovariate(self.like.often)), len(many) - 1)]]
        while len(needs) < 4 and self.random.random() < self.like.more:
            needs.append(self.random.choice([one for one in many if one not in needs]))
        words = " and the ".join(self.describe_thing(one) for one in needs)
        return Task(f"{self.random.choice(VERBS)} the {words} {self.random.choice(ASIDES)}", project=project), needs

    def describe_thing(self, thing: Thing) -> str:
        """A thing in some words."""
        head, tail = (
            WORDS[word] if self.random.random() < self.like.reworded else word for word in (thing.head, thing.tail)
        )
        return self.random.choice((f"{head} {tail}", f"{tail} of the {head}", f"{head} {tail}s"))

    def attempt(self, thing: Thing, report: Sequence[str]) -> str:
        """The model's way of doing a thing: as advised, as known, or at random."""
        warned = {way for text in report if denies(text) for way in thing.chosen_in(text)}
        advised = [way for text in report if not denies(text) for way in thing.chosen_in(text)]
        if advised and self.random.random() < self.like.obeys:
            return self.random.choice(advised)
        if self.random.random() < self.like.knows:
            return thing.way
        left = [way for way in thing.ways if way not in warned and way != thing.way]
        return self.random.choice(left or [thing.way])

    def judged(self, needs: Sequence[Thing], good: Sequence[bool]) -> Evaluation:
        """The evaluation of an attempt."""
        findings = [self.finding(thing) for thing, right in zip(needs, good, strict=True) if not right]
        if self.random.random() < self.like.taste:
            findings.append(Finding(f"Name {self.random.randrange(60)} is unclear", fix="Rename it.", rule="style"))
        checks = [Check(f"check {thing.name}", passed=right) for thing, right in zip(needs, good, strict=True)]
        score = Score("all", max(0.05, 0.95 - 0.3 * good.count(False)))
        return Evaluation(checks=tuple(checks) if self.like.checks else (), scores=(score,), findings=tuple(findings))

    def seems(self, thing: Thing, way: str, *, first: bool) -> bool:
        """Whether it looks right; occasionally a right way fails at first, and a wrong one passes later."""
        if way == thing.way:
            return not (first and self.random.random() < self.like.noise)
        return not first and self.random.random() < self.like.lucky

    def finding(self, thing: Thing) -> Finding:
        """The findings: what is wrong, and what to do."""
        wrong = [way for way in thing.ways if way != thing.way]
        way = self.random.choice(wrong) if self.random.random() < self.like.misleads else thing.way
        vague = self.random.random() < self.like.vague
        title = self.random.choice(VAGUE if vague else SAYS).format(t=self.describe_thing(thing))
        fix = self.random.choice(HINTS if vague else FIXES).format(t=self.describe_thing(thing), v=way)
        rule = {"own": f"check {thing.name}", "one": "correctness", "none": ""}[self.like.rule]
        where = "src/app.py:3" if self.like.rule == "own" else ""
        return Finding(title, Severity.BLOCKER, rule=rule, where=where, fix=fix)

    def result(self, task: Task, needs: Sequence[Thing], report: Sequence[str]) -> Result:
        """A whole run: at most three attempts, each after the findings about the one before."""
        iterations: list[Iteration] = []
        plan, texts, kept = Plan(), list(report), dict[str, str]()
        for turn in range(3):
            ways = {one.name: kept.get(one.name) or self.attempt(one, texts) for one in needs}
            good = [self.seems(one, ways[one.name], first=turn == 0) for one in needs]
            judged = self.judged(needs, good)
            lines = [f"{one.name} = {ways[one.name]}" for one in needs]
            work = ExecutionResult(f"attempt {turn}", diff=patch("src/app.py", *lines))
            iterations.append(Iteration(plan=plan, work=work, evaluation=judged, cost=Cost()))
            if all(good):
                break
            kept = {one.name: ways[one.name] for one, right in zip(needs, good, strict=True) if right}
            plan, texts = Plan(feedback=judged.open), [finding.fix for finding in judged.open]
        decision = Decision(NextAction.ACCEPT if all(good) else NextAction.ACCEPT_BEST, "")
        return Result(task, decision, best=iterations[-1], iterations=iterations, cost=Cost())

    def misleading(self, project: str, text: str) -> bool:
        """Whether a text advises something that is wrong here."""
        named = [(way, thing) for thing in self.projects[project] for way in thing.chosen_in(text)]
        return any((way == thing.way) is denies(text) for way, thing in named)

    def guesses(self, result: Result) -> Iterator[str]:
        """A small model's lesson from a run: often none, else one of the findings with its number, or a mistake."""
        first = result.iterations[0].evaluation
        found = first.blockers if first else ()
        if not found or self.random.random() < 0.7:
            return
        number = self.random.randrange(len(found))
        fix = found[number].fix
        if self.random.random() < 0.4:
            things = self.projects[result.task.project]
            fix = next(
                (fix.replace(way, self.random.choice(one.ways)) for one in things for way in one.chosen_in(fix)), fix
            )
        yield f"Remember: {fix} | {result.task.text} | - | {number + 1}"


def denies(text: str) -> bool:
    """Whether a text warns."""
    return "do not" in text.lower()
