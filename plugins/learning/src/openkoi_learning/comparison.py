"""Compare runs with and without an entry (A/B test): from the log, and by replaying recorded tasks."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from os import environ
from typing import cast

import click

from openkoi_hookspecs import YES_OR_NO, Checkpoints, Koi, KoiError, Question, is_yes
from openkoi_hookspecs.lazy_dataclass import dataclass

from .effectiveness import pass_rates
from .entry import LearningEntry, shorten
from .replay import Attempt, RecordedTask, diff_since_start, format_results, replay_task, replayable_run
from .state import LearningState, RunOrigin
from .views import format_uplift

DEFAULT_REPLAYS = 3
QUESTION = (
    "Replay {tasks}, each once with the entry and once without, in copies of their folders? This costs "
    "as much as {twice} tasks, and repeats whatever the tasks do outside their folders."
)


@dataclass(frozen=True, slots=True)
class EntryComparison:
    """An entry, and the state from which one sees when it was shown and when held out."""

    koi: Koi
    state: LearningState
    entry: LearningEntry

    def format_recorded(self) -> Iterator[str]:
        """Yield the results of tasks with and without the entry."""
        uses = self.state.outcomes(self.entry.id)
        for name, (good, total) in pass_rates(uses).items():
            yield f"  {name + ':':<11}" + (f"{good} of {total} first attempts passed" if total else "no tasks yet")
        yield f"  uplift:    {format_uplift(self.state, self.entry)}"

    def replayable_tasks(self) -> Iterator[RecordedTask]:
        """Yield the tasks that can be replayed, newest first: those it was eligible for, then those that taught it."""
        seen = reversed(self.state.eligible_runs.get(self.entry.id, []))
        for run in dict.fromkeys((*seen, *(proof.run for proof in self.entry.proofs))):
            session = self.state.origins.get(run, RunOrigin()).session
            if session and (task := replayable_run(self.koi.records(session), run)):
                yield task

    def replay(self, tasks: Iterable[RecordedTask]) -> Iterator[Mapping[str, Attempt]]:
        """Replay tasks; skip one that cannot be, with the reason."""
        variants = {side: f"{side} {self.entry.id}" for side in ("with", "without")}
        for task in tasks:
            try:
                attempts = replay_task(task, asyncio.run(self.patch_of(task)), variants, environ)
            except KoiError as error:
                click.echo(f"  Skipped {task.run[:8]}: {error}", err=True)
                continue
            how = ", ".join(f"{side} {'passed' if attempt.passed else 'failed'}" for side, attempt in attempts.items())
            click.echo(f"  {task.run[:8]} {shorten(task.task.text, 60)}: {how}")
            yield attempts

    async def patch_of(self, task: RecordedTask) -> str:
        """Return what the task changed, from its checkpoints."""
        return await diff_since_start(task, await load_checkpoints(self.koi))

    def run(self, count: int | None) -> None:
        """Print the recorded results, then replay ``count`` tasks; without a number, ask the user."""
        click.echo("\n".join(["Recorded tasks:", *self.format_recorded()]))
        tasks = [
            task
            for task, _ in zip(
                self.replayable_tasks(), range(DEFAULT_REPLAYS if count is None else count), strict=False
            )
        ]
        if count is None and not (tasks and ask_consent(self.koi, len(tasks))):
            click.echo(
                f"To replay tasks with and without the entry, run `openkoi learn duel {self.entry.id} --again N`."
            )
        elif count != 0:
            click.echo("Replayed:")
            attempts = list(self.replay(tasks))
            click.echo(
                "\n".join(format_results(attempts)) if attempts else "  none of the recorded tasks could be replayed"
            )


def ask_consent(koi: Koi, count: int) -> bool:
    """Return whether the user agrees to the cost; without a terminal the answer is "no"."""
    question = Question(
        QUESTION.format(tasks=f"{count} recorded task{'' if count == 1 else 's'}", twice=2 * count),
        choices=YES_OR_NO,
    )
    return is_yes(asyncio.run(koi.ask(question)))


async def load_checkpoints(koi: Koi) -> Checkpoints | None:
    """Return the first installed checkpoints."""
    found = koi.plugins("checkpoints")
    return cast(Checkpoints, await found[0].load()) if found else None  # entries of this kind implement the protocol
