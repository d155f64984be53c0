"""After a run, when it is due: look for what is found wrong again and again, and draft an evaluator for it.

Never on the way to a result, and never the end of a task: what goes wrong here is said, and tried again the next time.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.files import private_folder
from openkoi_hookspecs import DataDir, KoiError, LimitExceededError, Result, Run, hookimpl
from openkoi_hookspecs.events import WarningIssued
from openkoi_skillfile import EVALUATOR, canonical

from .events import Drafted
from .shelf import DraftStore

if TYPE_CHECKING:
    from .habits import Habit

HOUR, DAY = 3_600.0, 86_400.0
MOST = 2
FAILED = "Past tasks were not looked through for evaluators to propose: {error}. It is tried again after the next task."
REASON = "{faulty} of {tasks} tasks of the category {category} had the same kinds of faults"


@dataclass(frozen=True, slots=True)
class Mined:
    """What was found, and whether there was enough of it to rest until the interval is over."""

    habits: Sequence["Habit"] = ()
    ripe: bool = False


class Proposals:
    """Drafts evaluators for what only the general rubric judged. Settings: ``[hooks.proposals]``."""

    def __init__(
        self,
        *,
        data: Annotated[Path, DataDir("")],
        auto_propose: bool = True,
        mine_interval_hours: float = 24.0,
        min_samples: int = 3,
        min_confidence: float = 0.7,
        days: float = 30.0,
        wording: bool = True,
        wording_seconds: float = 1.2,
    ) -> None:
        self.shelf = DraftStore(data)
        self.auto_propose = auto_propose
        self.interval = mine_interval_hours * HOUR
        self.min_samples, self.min_confidence = min_samples, min_confidence
        self.lookback = days * DAY
        self.wording, self.wording_seconds = wording, wording_seconds

    @hookimpl(trylast=True)
    async def before_learn(self, result: Result, run: Run) -> None:
        """Propose what there is to propose, where this run was one of those that it could be about."""
        if not self.auto_propose or not concerns(result) or not self.due(time.time()):
            return
        try:
            mined = await asyncio.to_thread(self.mine, run.task.category, time.time())
            for habit in mined.habits[:MOST]:
                await self.propose(habit, run)
            if mined.ripe:
                self.rest()
        except OSError as error:
            await run.emit(WarningIssued(FAILED.format(error=error)))

    def mine(self, category: str, now: float) -> Mined:
        """Read the log; what is there already, or was dismissed, is no news."""
        from .habits import Bar, habits
        from .log import judged_tasks

        tasks = judged_tasks(self.shelf.data / "sessions", now - self.lookback)
        bar = Bar(self.min_samples, self.min_confidence)
        same = sum(canonical(task.category) == canonical(category) for task in tasks)
        found = [one for one in habits(tasks, bar) if not self.shelf.exists(EVALUATOR, one.name)]
        return Mined(found, same >= bar.samples)

    async def propose(self, habit: "Habit", run: Run) -> None:
        """Write the draft, say so, then write it in better words where a model has them in time."""
        from .draft import skill_text
        from .worded import question, wordings

        self.shelf.put(EVALUATOR, habit.name, skill_text(habit))
        reason = REASON.format(faulty=habit.faulty, tasks=habit.tasks, category=habit.category)
        await run.emit(Drafted(habit.name, EVALUATOR, reason))
        try:
            async with asyncio.timeout(self.wording_seconds):
                better = wordings(await run.chat(question(habit)), habit) if self.wording else {}
        except (KoiError, LimitExceededError, TimeoutError):
            return
        if better:
            self.shelf.put(EVALUATOR, habit.name, skill_text(habit, better))

    @property
    def stamp(self) -> Path:
        """The file whose time is that of the last look."""
        return self.shelf.data / "cache" / "proposals.looked"

    def due(self, now: float) -> bool:
        """Whether the last look is long enough ago; a time to come is that of a clock that was wrong."""
        try:
            return not 0 <= now - self.stamp.stat().st_mtime < self.interval
        except OSError:
            return True

    def rest(self) -> None:
        """Look again when the interval is over."""
        private_folder(self.stamp.parent)
        self.stamp.touch()


def concerns(result: Result) -> bool:
    """Whether the general rubric found anything wrong in a run."""
    found = [finding for one in result.iterations if one.evaluation for finding in one.evaluation.open]
    if not found:
        return False
    from .habits import by_rubric

    return any(map(by_rubric, found))
