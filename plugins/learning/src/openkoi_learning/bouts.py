"""A duel between having an entry and not having it: what the record says, and recorded tasks that are done again.

Knows the ledger and its log, and the person who pays; how a task is done again is told elsewhere.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import environ
from typing import cast

import click

from openkoi_hookspecs import Checkpoints, Koi, KoiError, Question

from .book import LearningState, Origin
from .credit import by_shown
from .duel import Attempt, Recorded, again, patch_of, replayable_run, tally
from .entry import LearningEntry, short
from .pages import format_uplift

USUALLY = 3
QUESTION = (
    "Do {count} tasks of the record again, each once with it and once without, in copies of their folders? It costs "
    "what {twice} tasks cost, and what they do outside of their folders is done again."
)


@dataclass(frozen=True, slots=True)
class Duel:
    """An entry, and the ledger that knows when it was shown and when withheld."""

    koi: Koi
    book: LearningState
    entry: LearningEntry

    def record(self) -> Iterator[str]:
        """What the record says: tasks that were done with it, and tasks from which it was withheld."""
        uses = self.book.uses(self.entry.id)
        for name, (good, total) in by_shown(uses).items():
            yield f"  {name + ':':<11}" + (f"{good} of {total} first attempts passed" if total else "no task yet")
        yield f"  lift:      {format_uplift(self.book, self.entry)}"

    def able(self) -> Iterator[Recorded]:
        """The tasks that can be done again, the newest first: those it was meant for, then those that taught it."""
        seen = reversed(self.book.visitors.get(self.entry.id, []))
        for run in dict.fromkeys((*seen, *(proof.run for proof in self.entry.proofs))):
            session = self.book.origins.get(run, Origin()).session
            if session and (one := replayable_run(self.koi.records(session), run)):
                yield one

    def fight(self, tasks: Iterable[Recorded]) -> Iterator[Mapping[str, Attempt]]:
        """Do tasks again; one that cannot be is passed over, with the reason."""
        words = {side: f"{side} {self.entry.id}" for side in ("with", "without")}
        for one in tasks:
            try:
                bout = again(one, asyncio.run(self.patch_of(one)), words, environ)
            except KoiError as error:
                click.echo(f"  {one.run[:8]} was skipped: {error}", err=True)
                continue
            how = ", ".join(f"{side} {'passed' if each.passed else 'failed'}" for side, each in bout.items())
            click.echo(f"  {one.run[:8]} {short(one.task.text, 60)}: {how}")
            yield bout

    async def patch_of(self, one: Recorded) -> str:
        """What the task changed, as the checkpoints know it."""
        return await patch_of(one, await keeper_of(self.koi))

    def run(self, count: int | None) -> None:
        """Say what the record says, then do so many tasks again; without a number a person is asked."""
        click.echo("\n".join(["From the record:", *self.record()]))
        tasks = [one for one, _ in zip(self.able(), range(USUALLY if count is None else count), strict=False)]
        if count is None and not (tasks and ask_consent(self.koi, len(tasks))):
            click.echo(f"To do tasks again with it and without it: openkoi learn duel {self.entry.id} --again N")
        elif count != 0:
            click.echo("Done again:")
            fought = list(self.fight(tasks))
            click.echo("\n".join(tally(fought)) if fought else "  no task of the record could be done again")


def ask_consent(koi: Koi, count: int) -> bool:
    """Return whether the user agrees to the cost; without a terminal the answer is no."""
    question = Question(QUESTION.format(count=count, twice=2 * count), choices=("yes", "no"))
    return asyncio.run(koi.ask(question)) == "yes"


async def keeper_of(koi: Koi) -> Checkpoints | None:
    """The first checkpoints that there are."""
    found = koi.plugins("checkpoints")
    return cast(Checkpoints, await found[0].load()) if found else None  # an entry of this kind is this socket
