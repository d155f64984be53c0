"""Look for recurring findings after a run, at intervals, and draft an evaluator for them.

This happens after the result. An error never fails the task: it is reported, and the next task tries again.
"""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from openkoi_base.files import private_folder
from openkoi_base.skillfile.skill import EVALUATOR
from openkoi_hookspecs import DataDir, KoiError, LimitExceededError, Result, Run, hookimpl
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

from .draft_store import DraftStore
from .events import ProposalDrafted

if TYPE_CHECKING:
    from .recurring_findings import RecurringFindings

HOUR_SECONDS, DAY_SECONDS = 3_600.0, 86_400.0
MAX_DRAFTS = 2  # of one run
FAILED = "Could not read past tasks to propose evaluators: {error}. Trying again after the next task."
REASON = "{faulty} of {tasks} tasks in the category {category} had the same kinds of findings"


@dataclass(frozen=True, slots=True)
class MiningResult:
    """The recurring findings, and whether there were enough tasks to wait for the next interval."""

    habits: Sequence["RecurringFindings"] = ()
    ripe: bool = False


class ProposalsHook:
    """Drafts evaluators for recurring findings of the general rubric. Settings: ``[hooks.proposals]``."""

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
        self.drafts = DraftStore(data)
        self.auto_propose = auto_propose
        self.interval = mine_interval_hours * HOUR_SECONDS
        self.min_samples, self.min_confidence = min_samples, min_confidence
        self.lookback = days * DAY_SECONDS
        self.wording, self.wording_seconds = wording, wording_seconds

    @hookimpl(trylast=True)
    async def before_learn(self, result: Result, run: Run) -> None:
        """Propose evaluators, if this run has a finding that one could cover."""
        if not self.auto_propose or not has_rubric_findings(result) or not self.due(time.time()):
            return
        try:
            mined = await asyncio.to_thread(self.mine_findings, run.task.category, time.time())
            for habit in mined.habits[:MAX_DRAFTS]:
                await self.propose(habit, run)
            if mined.ripe:
                self.start_interval()
        except OSError as error:
            await run.emit(WarningIssued(FAILED.format(error=error)))

    def mine_findings(self, category: str, now: float) -> MiningResult:
        """Read the log; skip what exists or was dismissed."""
        from openkoi_base.skillfile.evaluator import canonical_name

        from .log import find_judged_tasks
        from .recurring_findings import RecurrenceThresholds, find_recurring

        tasks = find_judged_tasks(self.drafts.data / "sessions", now - self.lookback)
        bar = RecurrenceThresholds(self.min_samples, self.min_confidence)
        same = sum(canonical_name(task.category) == canonical_name(category) for task in tasks)
        found = [one for one in find_recurring(tasks, bar) if not self.drafts.exists(EVALUATOR, one.name)]
        return MiningResult(found, same >= bar.samples)

    async def propose(self, habit: "RecurringFindings", run: Run) -> None:
        """Write the draft, report it, then rewrite it in a model's words if these arrive in time."""
        from .draft import skill_text
        from .llm_wording import build_request, parse_wordings

        self.drafts.write_draft(EVALUATOR, habit.name, skill_text(habit))
        reason = REASON.format(faulty=habit.faulty, tasks=habit.tasks, category=habit.category)
        await run.emit(ProposalDrafted(habit.name, EVALUATOR, reason))
        try:
            async with asyncio.timeout(self.wording_seconds):
                better = parse_wordings(await run.chat(build_request(habit)), habit) if self.wording else {}
        except (KoiError, LimitExceededError, TimeoutError):
            return
        if better:
            self.drafts.write_draft(EVALUATOR, habit.name, skill_text(habit, better))

    @property
    def stamp(self) -> Path:
        """The file whose modification time is that of the last look."""
        return self.drafts.data / "cache" / "proposals.looked"

    def due(self, now: float) -> bool:
        """Return whether the last look is long enough ago; ignore a time in the future."""
        try:
            return not 0 <= now - self.stamp.stat().st_mtime < self.interval
        except OSError:
            return True

    def start_interval(self) -> None:
        """Wait for the next interval."""
        private_folder(self.stamp.parent)
        self.stamp.touch()


def has_rubric_findings(result: Result) -> bool:
    """Return whether the general rubric found anything wrong in a run."""
    found = [finding for one in result.iterations if one.evaluation for finding in one.evaluation.open]
    if not found:
        return False
    from .recurring_findings import by_rubric

    return any(map(by_rubric, found))
