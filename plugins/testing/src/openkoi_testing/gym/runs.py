"""Run the tasks of a world with a learner, and measure the results from outside."""

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from openkoi_base.decision.decide import decide
from openkoi_base.decision.facts import observe
from openkoi_hookspecs import (
    Cost,
    Decision,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    Limits,
    NextAction,
    Plan,
    Policy,
    Result,
    Task,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .learners import KnownItem, Learner, Memory
from .world import GymTask, Prompt, World

CHARACTERS_PER_TOKEN, LINE_TOKENS = 4, 4
LIMITS = Limits(seconds=3_600.0)
Watch: TypeAlias = Callable[[GymTask, Sequence[str], Result, Memory], None]


@dataclass(frozen=True, slots=True)
class TaskMeasure:
    """One task as seen from outside: whether the first attempt passed, and what was shown."""

    passed: bool
    shown: int
    harmful: int
    tokens: int


@dataclass(slots=True)
class Course:
    """A learner's results in a world: each task, and its final knowledge."""

    steps: list[TaskMeasure] = field(default_factory=list)
    duplicates: float = 0.0
    precision: float = 1.0
    active: int = 0

    def share(self, start: int, end: int | None = None) -> float:
        """Return the share of first attempts that passed."""
        part = self.steps[start:end]
        return sum(one.passed for one in part) / len(part) if part else 0.0

    def mean(self, what: str) -> float:
        """Return a figure of the steps, a task."""
        return sum(float(getattr(one, what)) for one in self.steps) / len(self.steps)


async def run_world(world: World, learner: Learner, tasks: int, watch: Watch | None = None) -> Course:
    """Do some tasks in order; each is watched before it is learned from."""
    course = Course()
    for _ in range(tasks):
        task = world.next_task()
        advice = tuple(await learner.recall(task))
        result = run_task(world, task, advice)
        course.steps.append(measure_step(world, task, advice, result))
        if watch:
            watch(task, advice, result, learner.memory())
        await learner.learn(task, result)
    measure_items(course, world, list(learner.items()))
    return course


def run_task(world: World, task: GymTask, advice: Sequence[str]) -> Result:
    """Do a task as the loop does, with its rules: each attempt after the findings of the one before."""
    iterations: list[Iteration] = []
    plan, feedback, decision = Plan(), tuple[str, ...](), Decision(NextAction.CONTINUE, "")
    while decision.action is NextAction.CONTINUE:
        tried = [work_text(world, one) for one in iterations]
        text = world.attempt(Prompt(task=task, shown=advice, feedback=feedback, tried=tried))
        judged, work = world.evaluate(task, text, first=not iterations), to_result(world, text)
        facts = observe(plan, work, judged, policy=Policy.JUDGE)
        iterations.append(Iteration(plan=plan, work=work, evaluation=judged, cost=Cost(), facts=facts))
        decision = decide(iterations, LIMITS, Cost())
        plan, feedback = Plan(feedback=judged.open), feedback_lines(judged.open)
    asked = Task(task.text, project=task.project, category=task.kind, limits=LIMITS)
    best = max(iterations, key=lambda one: one.merit)
    return Result(asked, decision, best=best, iterations=iterations, cost=Cost())


def is_accepted(judged: Evaluation) -> bool:
    """Return whether an attempt is good enough, as the loop decides it."""
    return not judged.red and (judged.score or 0.0) >= LIMITS.quality_threshold


def feedback_lines(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return findings as the model reads them: a line each."""
    return tuple(" ".join(filter(None, (one.title, one.detail, one.fix))) for one in findings)


def to_result(world: World, work: str) -> ExecutionResult:
    """Return a work as an execution's result: the answer, or a file's diff."""
    if not world.path:
        return ExecutionResult(work)
    lines = work.splitlines()
    head = f"diff --git a/{world.path} b/{world.path}\n--- /dev/null\n+++ b/{world.path}\n@@ -0,0 +1,{len(lines)} @@\n"
    return ExecutionResult("Done.", diff=head + "".join(f"+{line}\n" for line in lines), files=(world.path,))


def work_text(world: World, one: Iteration) -> str:
    """Return the text of a work."""
    if not world.path:
        return one.work.text
    return "\n".join(line[1:] for line in one.work.diff.splitlines() if line[:1] == "+" and line[:3] != "+++")


def measure_step(world: World, task: GymTask, advice: Sequence[str], result: Result) -> TaskMeasure:
    """Measure a task."""
    first = result.iterations[0].evaluation
    tokens = sum(-(-len(line) // CHARACTERS_PER_TOKEN) + LINE_TOKENS for line in advice)
    harmful = sum(world.truth.misleads(task, line) for line in advice)
    return TaskMeasure(first is not None and is_accepted(first), len(advice), harmful, tokens)


def measure_items(course: Course, world: World, items: Sequence[KnownItem]) -> None:
    """Measure a learner's knowledge: the share of duplicates, and the share of sure items that are right."""
    rows = [(one.project, meaning_of(world, one)) for one in items]
    claims = [one for one in rows if one[1]]
    course.duplicates = 1 - len(set(claims)) / len(claims) if claims else 0.0
    active = [one for one in items if one.active]
    course.active = len(active)
    course.precision = sum(is_right(world, one) for one in active) / len(active) if active else 1.0


def meaning_of(world: World, item: KnownItem) -> frozenset[object]:
    """Return the claim of an item, whatever its wording."""
    return frozenset(world.truth.claims(item.text))


def is_right(world: World, item: KnownItem) -> bool:
    """Return whether an item says something, and nothing that is wrong in its project."""
    claims = world.truth.claims(item.text)
    return bool(claims) and all(
        (one.value == world.truth.right(item.project, one.subject)) is not one.denied for one in claims
    )
