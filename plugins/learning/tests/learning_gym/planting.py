"""Plant wrong advice in a world, and count how often it is shown until a learner withdraws it.

For some tasks the evaluator takes a wrong value of the most needed subject for right, advises it and accepts it; then
it knows better. A learner has learned the value until then, with all the evidence that the world has to give.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.learners import Learner
from openkoi_testing.gym.runs import run_task
from openkoi_testing.gym.world import Claim, World

Subject: TypeAlias = tuple[str, str]  # of a project
PLANTED_AT, RIGHT_AGAIN_AT, TASKS = 30, 60, 180  # task numbers, all before any drift
LAST_NEEDED = 5  # tasks that need the subject, in none of which it may be shown if it is withdrawn
GOALS = {True: 2, False: 12}  # uses until the withdrawal, where its own check turns red and where only a score tells


@dataclass(frozen=True, slots=True)
class Planted:
    """How planted advice fared: whether it has a check of its own, and after the world knew better in which of the
    tasks that need its subject it was shown."""

    own_check: bool
    shown: Sequence[bool]

    @property
    def learned(self) -> bool:
        """Whether it was ever shown."""
        return any(self.shown)

    @property
    def withdrawn(self) -> bool:
        """Whether it is no longer shown."""
        return not any(self.shown[-LAST_NEEDED:])

    @property
    def uses(self) -> int:
        """How often it was shown."""
        return sum(self.shown)


async def plant_advice(world: World, learner: Learner) -> Planted:
    """Run a world in which a value of a subject is taken for right for some tasks."""
    truth, needed, shown = world.truth, Counter[Subject](), list[bool]()
    planted, right = Claim("", ""), ""
    for number in range(TASKS):
        task = world.next_task()
        if number < PLANTED_AT:
            needed.update((task.project, subject) for subject in truth.needs(task))
        [(project, subject)] = [one for one, _ in needed.most_common(1)]
        if number == PLANTED_AT:
            planted, right = Claim(subject, truth.wrong(project, subject)), truth.right(project, subject)
            truth.set_right(project, subject, planted.value)
        if number == RIGHT_AGAIN_AT:
            truth.set_right(project, subject, right)
        lines = tuple(await learner.recall(task))
        if number >= RIGHT_AGAIN_AT and task.project == project and subject in truth.needs(task):
            shown.append(any(planted in truth.claims(line, task) for line in lines))
        await learner.learn(task, run_task(world, task, lines))
    return Planted("per fact" in world.family, shown)


def format_planted(every: Sequence[Planted]) -> str:
    """Format in how many worlds planted advice was withdrawn, and after how many uses, beside the goals."""
    learned = [one for one in every if one.learned]
    gone = [one for one in learned if one.withdrawn]
    share = len(gone) / len(learned) if learned else 1.0
    lines = [f"planted advice was learned in {len(learned)} of {len(every)} worlds, withdrawn in {share:.2f}   >= 0.95"]
    for own, goal in GOALS.items():
        uses = [one.uses for one in gone if one.own_check is own]
        how = "its own check turns red" if own else "only a score or a shared check tells"
        lines.append(f"median uses where {how}: {median(uses) if uses else '-'} ({len(uses)} worlds)   <= {goal}")
    return "\n".join(lines)
