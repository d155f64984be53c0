"""Explain why the score changed from one iteration to the next, with the diff between them."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from openkoi_hookspecs import Evaluation
from openkoi_runlog import IterationView
from openkoi_runlog.report import RunReport, explain_run, truncate_line
from openkoi_terminal import Style, render_diff

if TYPE_CHECKING:
    from openkoi_hookspecs import Checkpoints, Koi

SMALLEST = 0.005  # smaller differences between scores do not show in two digits (arithmetic)
DIFF_LINES = 30


async def explain(report: RunReport, koi: "Koi", style: Style) -> Sequence[str]:
    """Explain how a task ended: what changed the score between iterations, then the decisions."""
    lines: list[str] = []
    iterations = report.iterations
    for before, after in pairwise(iterations):
        lines += describe_step(before, after)
        lines += [f"  {line}" for line in await diff_between(before, after, report, koi, style)]
    return [*lines, *explain_run(report)]


def describe_step(before: IterationView, after: IterationView) -> Iterator[str]:
    """Yield the two scores, each dimension and check that moved, and the findings that are resolved or new."""
    yield f"iteration {before.number + 1} → {after.number + 1}: {score_of(before)} → {score_of(after)}"
    old, new = before.evaluation or Evaluation(), after.evaluation or Evaluation()
    yield from moved_scores(old, new)
    yield from moved_checks(old, new)
    gone, fresh = titles(old) - titles(new), titles(new) - titles(old)
    yield from (f"  fixed: {title}" for title in sorted(gone))
    yield from (f"  new: {title}" for title in sorted(fresh))


def score_of(one: IterationView) -> str:
    return "no score" if one.score is None else f"{one.score:.2f}"


def moved_scores(old: Evaluation, new: Evaluation) -> Iterator[str]:
    """Yield each dimension whose score changed."""
    known = {one.dimension: one.value for one in old.scores}
    for one in new.scores:
        was = known.get(one.dimension)
        if was is not None and abs(one.value - was) >= SMALLEST:
            yield f"  {one.dimension}: {was:.2f} → {one.value:.2f} ({one.value - was:+.2f})"


def moved_checks(old: Evaluation, new: Evaluation) -> Iterator[str]:
    """Yield each check that turned green or red."""
    known = {one.name: one.passed for one in old.checks}
    for one in new.checks:
        if known.get(one.name) not in (None, one.passed):
            yield f"  {truncate_line(one.name)} {'passes now' if one.passed else 'fails now'}"


def titles(evaluation: Evaluation) -> set[str]:
    return {truncate_line(one.title) for one in evaluation.open}


async def diff_between(
    before: IterationView, after: IterationView, report: RunReport, koi: "Koi", style: Style
) -> Iterable[str]:
    """Return the diff of the files between two iterations; empty if either has no checkpoint."""
    since, until = checkpoint(before), checkpoint(after)
    checkpoints: Checkpoints | None = await koi.load_chosen("checkpoints")  # type: ignore[assignment]  # what it chooses
    if not (since and until and checkpoints):
        return ()
    from pathlib import Path

    diff = await checkpoints.diff(Path(report.view.workspace), since, until)
    return render_diff(koi.redact(diff), style, most=DIFF_LINES, more="/diff")


def checkpoint(one: IterationView) -> str:
    return one.work.checkpoint if one.work else ""
