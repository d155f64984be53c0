"""Search for the cause with replays: first among the plugins that change no request, which needs no model."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import KoiError, NextAction
from openkoi_hookspecs.lazy_dataclass import dataclass

from .judge import Judge
from .search import WITHOUT_ANY, Bisection, Cause, Outcome, max_replays

if TYPE_CHECKING:
    from openkoi_hookspecs import PluginEntry

    from .recorded_model import Recording
    from .replays import Replays

NOT_BAD = "A replay with all plugins does not reproduce the bad result: {why}. Nothing to bisect."
PRICE = (
    "The request to the {role} differs from the recorded ones, so a model must be called: up to {replays} replays "
    "at about ${each:.2f} each, ${all:.2f} in all. Continue?"
)
NEEDS_YES = (
    "The request to the {role} differs from the recorded ones, so a model must be called: up to {replays} replays "
    "at about ${each:.2f} each, ${all:.2f} in all. To allow that, run the command again with --yes or --budget."
)
REFUSED = "Inconclusive, because no model was called."
OVER_BUDGET = "Model calls have used ${usd:.2f} of ${budget:.2f}, and the search cannot continue: {why}"
VERDICTS = {Outcome.GOOD: "good", Outcome.BAD: "bad", Outcome.SKIPPED: "skipped"}
PROOF = 2  # replays, by which a cause is proven again where models were called


@dataclass(frozen=True, slots=True)
class Spending:
    """What the user allows to be spent. ``usd`` is the recorded cost of one replay."""

    usd: float
    yes: bool
    budget: float | None


@dataclass(slots=True)
class BisectRun:
    """A search in progress. ``base`` are the plugins that change requests: replays use them for as long as possible."""

    replays: "Replays"
    judge: Judge
    spending: Spending
    base: frozenset[int]
    done: int = 0

    async def find(self) -> Cause:
        """Return the indexes of the plugins that cause the bad result."""
        everything = range(len(self.replays.plugins))
        await self.replay_recorded(frozenset(everything))
        others = [one for one in everything if one not in self.base]
        cause = await self.search(others, self.base) if others else Cause(undecided=WITHOUT_ANY)
        if cause.undecided == WITHOUT_ANY and self.base:
            return await self.search(sorted(self.base), frozenset())
        return cause

    async def search(self, among: Sequence[int], always: frozenset[int]) -> Cause:
        """Search among some plugins; those in ``always`` are in each replay."""
        recording = self.replays.recording
        search = Bisection(len(among), lambda: recording.may_call).search()
        most = self.done + max_replays(len(among))
        try:
            wanted = next(search)
            while True:
                self.done += 1
                plugins = always | {among[place] for place in wanted}
                outcome = await self.replay(plugins)
                expected = most + PROOF * recording.may_call  # for one plugin; two that act together take more
                place = f"[{self.done}/{expected}]" if self.done <= expected else f"[{self.done}]"
                self.show(place, plugins, outcome)
                wanted = search.send(outcome)
        except StopIteration as found:
            cause: Cause = found.value
            return Cause(tuple(among[place] for place in cause.plugins), cause.undecided)

    async def replay_recorded(self, everything: frozenset[int]) -> None:
        """Replay the task unchanged, with the recorded requests; raise KoiError if the result is not bad."""
        result = await self.replays.run(everything, 0.0)
        self.replays.recording.is_first = False
        self.judge = Judge(self.judge.check, self.judge.accepted, result)
        outcome = self.judge.outcome(result)
        self.show("[recorded]", everything, outcome)
        if outcome is not Outcome.BAD:
            raise KoiError(NOT_BAD.format(why=self.judge.description))

    async def replay(self, plugins: frozenset[int]) -> Outcome:
        """Return a replay's outcome; ask the user before the first replay that must call a model."""
        recording = self.replays.recording
        recording.differing.clear()
        try:
            result = await self.replays.run(plugins, self.budget_left())
        except KoiError as error:
            if recording.may_call or not recording.differing:
                return self.skip(str(error))
        else:
            if result.action is NextAction.ABORT_BUDGET and recording.may_call:
                return self.skip("the replay used up its budget")
            if recording.may_call or not recording.differing:
                return self.judge.outcome(result)
        self.allow_calls(recording)
        return await self.replay(plugins)

    def skip(self, why: str) -> Outcome:
        """Print why a replay has no result; raise KoiError if the budget is the reason."""
        budget = self.spending.budget
        if budget is not None and self.replays.recording.may_call:
            raise KoiError(OVER_BUDGET.format(usd=self.replays.recording.usd, budget=budget, why=why))
        click.echo(f"  ! {why}", err=True)
        return Outcome.SKIPPED

    def allow_calls(self, recording: "Recording") -> None:
        """State the price and ask the user; raise KoiError unless they allow the calls."""
        from openkoi_base.terminal import can_prompt

        replays, each = max_replays(len(self.replays.plugins)) + PROOF, self.spending.usd
        values = {"role": recording.differing[0], "replays": replays, "each": each, "all": replays * each}
        if not self.spending.yes and self.spending.budget is None:
            if not can_prompt(sys.stderr):
                raise KoiError(NEEDS_YES.format(**values))
            if not click.confirm(PRICE.format(**values), err=True):
                raise KoiError(REFUSED)
        recording.may_call = True

    def budget_left(self) -> float:
        """Return the dollars that the next replay may add to the recorded cost; raise KoiError if none are left."""
        spent, budget = self.replays.recording.usd, self.spending.budget
        if budget is None:
            return self.spending.usd
        if self.replays.recording.may_call and spent >= budget:
            self.skip("the budget is used up")
        return budget - spent

    def show(self, place: str, plugins: frozenset[int], outcome: Outcome) -> None:
        """Print a replay's outcome."""
        known = self.replays.plugins
        click.echo(f"{place} {describe_plugins(plugins, known)}: {VERDICTS[outcome]}", err=True)


def describe_plugins(wanted: frozenset[int], plugins: "Sequence[PluginEntry]") -> str:
    """Return which plugins a replay uses."""
    if not wanted:
        return "without any of them"
    if len(wanted) <= 2:
        return f"with only {' and '.join(f'{plugins[one].kind}.{plugins[one].name}' for one in sorted(wanted))}"
    return f"with {len(wanted)} of {len(plugins)} plugins"
