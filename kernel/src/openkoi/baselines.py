"""How checks stood before the work: taken once before the first change, logged, known again after resume and fork."""

from dataclasses import replace
from typing import TYPE_CHECKING

from openkoi_hookspecs import Baseline, Baselined, Evaluator, LimitReached, events

from .facts import misfit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .kernel import Kernel

LOST = "The baseline of {names} was lost when the task was interrupted; every failing check now counts."


async def take_baselines(run: "Kernel") -> None:
    """Let each evaluator that compares report how things stand now."""
    for name, evaluator in comparing(run.evaluators).items():
        baseline = replace(await baseline_of(name, evaluator, run), evaluator=name)
        run.baselines[name] = baseline
        await run.emit(events.ChecksBaseline(baseline))
    await run.warn()


async def baseline_of(name: str, evaluator: Baselined, run: "Kernel") -> Baseline:
    """One evaluator's baseline; an empty one where it has none or fails, so that all it finds counts."""
    try:
        found = await run.in_time(evaluator.baseline(run)) or Baseline(name)
        if wrong := misfit(found, Baseline):
            raise TypeError(wrong)
        return found
    except LimitReached as reached:
        run.note_limit(reached.limit)
    except Exception as error:  # an evaluator is a plugin: without a baseline it judges all there is
        run.house.warn_once(f"{name} could not record a baseline: {error}")
    return Baseline(name)


def resume_baselines(run: "Kernel") -> None:
    """Take over what the log has. Baselines that were lost before anything was done are simply taken again."""
    past = run.past
    lost = sorted(comparing(run.evaluators).keys() - past.baselines.keys())
    if not past.origin or (lost and not past.called):
        return
    run.settled, run.versions.origin, run.baselines = True, past.origin, dict(past.baselines)
    if lost:
        run.house.warn_once(LOST.format(names=", ".join(lost)))


def comparing(evaluators: "Mapping[str, Evaluator]") -> dict[str, Baselined]:
    """The evaluators that compare with how things stood before."""
    return {name: one for name, one in evaluators.items() if isinstance(one, Baselined)}
