"""A small world in which learning can be measured: hidden tricks, traps, misleading advice, drift, opposite projects.

A task needs one or two tricks. The model follows what it is shown, knows a trick now and then, and otherwise falls into
its trap; what is found wrong comes in other words each time, with a fix that is sometimes wrong itself.
"""

from collections.abc import Sequence
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

VERBS = ("write", "change", "extend", "repair", "speed up", "test", "rework", "add")
NOISE = ("please", "today", "for the customer", "before the release", "as discussed", "carefully", "in the backend")
THINGS = (
    "invoice totals", "csv export", "login form", "search index", "mail queue", "report pdf", "image upload",
    "tax rates", "backup job", "calendar sync", "payment webhook", "audit trail", "password reset", "price list",
    "chat history", "map tiles", "sensor feed", "job scheduler", "address book", "stock levels", "coupon codes",
    "news letter", "user avatars", "rate limits",
)  # fmt: skip
SAYS = ("The {t} are wrong", "{t} does not work as it should", "Fault in the {t}", "The {t} check fails")
FIXES = ("Use `{v}` for the {t}.", "Set the {t} to `{v}`.", "For {t}, switch to `{v}`.", "Write the {t} with `{v}`.")
OBEYS, FAILS_ANYWAY, MISLEADS, STYLE, FLAKY, REFLECTS, ERRS = 0.97, 0.03, 0.12, 0.15, 0.1, 0.3, 0.4


@dataclass(frozen=True, slots=True)
class Trick:
    """What a thing needs in one project; the other values are traps."""

    thing: str
    right: str
    values: tuple[str, ...]


@dataclass(slots=True)
class World:
    """Two projects of opposite truths, seeded."""

    seed: int
    knows: float = 0.1
    random: Random = field(init=False)
    tricks: dict[str, list[Trick]] = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.tricks = {"koi": [], "heron": []}
        for number, thing in enumerate(THINGS):
            values = tuple(f"{thing.split()[0]}_{kind}{number}" for kind in ("fast", "safe", "plain"))
            self.tricks["koi"].append(Trick(thing, values[0], values))
            self.tricks["heron"].append(Trick(thing, values[1], values))

    def drift(self) -> None:
        """A quarter of what was right is wrong from now on."""
        for project, tricks in self.tricks.items():
            self.tricks[project] = [
                replace(one, right=one.values[2]) if self.random.random() < 0.25 else one for one in tricks
            ]

    def task(self) -> tuple[str, str, list[Trick]]:
        """A project, a task in words, and what it takes."""
        project = self.random.choice(("koi", "koi", "heron"))
        many = self.tricks[project]
        needs = [many[min(int(self.random.expovariate(0.12)), len(many) - 1)]]
        if self.random.random() < 0.4:
            needs.append(self.random.choice([one for one in many if one is not needs[0]]))
        words = " and the ".join(self.reworded(one.thing) for one in needs)
        return project, f"{self.random.choice(VERBS)} the {words} {self.random.choice(NOISE)}", needs

    def reworded(self, thing: str) -> str:
        first, second = thing.split()
        return self.random.choice((thing, f"{second} of the {first}", f"{first} {second} module", f"{first} {second}s"))

    def attempt(self, needs: Sequence[Trick], told: Sequence[str]) -> list[tuple[Trick, str]]:
        """What the model chooses for each trick; the last thing it was told about it counts."""
        return [(one, self.chosen(one, told)) for one in needs]

    def chosen(self, trick: Trick, told: Sequence[str]) -> str:
        warned = {v for v in trick.values for text in told if v in text and "do not" in text.lower()}
        advised = [v for text in told if "do not" not in text.lower() for v in trick.values if v in text]
        if advised and self.random.random() < OBEYS:
            return advised[-1]
        if self.random.random() < self.knows:
            return trick.right
        left = [v for v in trick.values if v not in warned and v != trick.right]
        return self.random.choice(left or [trick.right])

    def judgement(self, chosen: Sequence[tuple[Trick, str]], *, first: bool) -> Evaluation:
        """Checks, findings in changing words, and now and then a matter of taste."""
        checks, findings = [], []
        for trick, value in chosen:
            right = value == trick.right and not (first and self.random.random() < FAILS_ANYWAY)
            right = right or (not first and self.random.random() < FLAKY)
            checks.append(Check(f"test {trick.thing}", passed=right))
            if not right:
                findings.append(self.finding(trick))
        if self.random.random() < STYLE:
            findings.append(Finding(f"Name {self.random.randrange(60)} is unclear", fix="Rename it.", rule="style"))
        wrong = sum(not check.passed for check in checks)
        return Evaluation(checks=tuple(checks), scores=(Score("all", 0.95 - 0.3 * wrong),), findings=tuple(findings))

    def finding(self, trick: Trick) -> Finding:
        misled = self.random.random() < MISLEADS
        value = self.random.choice([v for v in trick.values if v != trick.right]) if misled else trick.right
        title = self.random.choice(SAYS).format(t=trick.thing)
        fix = self.random.choice(FIXES).format(t=trick.thing, v=value)
        return Finding(title, Severity.BLOCKER, rule=f"test {trick.thing}", where="src/app.py:3", fix=fix)

    def result(self, task: Task, needs: Sequence[Trick], told: Sequence[str]) -> Result:
        """A whole run: three attempts at most, each told what was found wrong with the one before."""
        done: list[Iteration] = []
        plan, heard, settled = Plan(), list(told), dict[str, str]()
        for turn in range(3):
            chosen = [(one, settled.get(one.thing) or value) for one, value in self.attempt(needs, heard)]
            judged = self.judgement(chosen, first=turn == 0)
            work = ExecutionResult(
                f"attempt {turn}", diff=patch("src/app.py", *(f"use({value})" for _, value in chosen))
            )
            done.append(Iteration(plan=plan, work=work, evaluation=judged, cost=Cost()))
            if not judged.failing:
                break
            settled = {
                one.thing: value for (one, value), check in zip(chosen, judged.checks, strict=True) if check.passed
            }
            plan = Plan(feedback=judged.open)
            heard = [*told, *(finding.fix for finding in judged.open)]
        good = done[-1].evaluation is not None and not done[-1].evaluation.failing
        ruling = Decision(NextAction.ACCEPT if good else NextAction.ACCEPT_BEST, "")
        return Result(task, ruling, best=done[-1], iterations=done, cost=Cost())
