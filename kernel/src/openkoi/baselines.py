"""Record which checks fail before the task changes anything, once per run; restore that on resume and fork."""

from collections.abc import Mapping
from dataclasses import replace

from openkoi_base.isolation import contain_exit, type_error_of
from openkoi_hookspecs import Baseline, Evaluator, LimitExceededError, SupportsBaseline, events

from .run import TaskRun

LOST = "{names} did not record a baseline before the first change, so every failing check counts."


async def capture_baseline(run: TaskRun) -> None:
    """Save the files and the evaluators' baselines before the first change, once per run."""
    async with run.baseline.lock:
        if run.baseline.taken:
            return
        run.baseline.taken = True
        run.workspace_state.origin = await run.workspace_state.checkpoint()
        run.seen_states.begin(run.workspace)
        await run.emit(events.BaselineSaved(run.workspace_state.origin))
        await take_baselines(run)


async def take_baselines(run: TaskRun) -> None:
    """Ask each evaluator that records baselines for the current results of its checks."""
    for name, evaluator in baselined_evaluators(run.evaluators).items():
        run.baseline.by_evaluator[name] = replace(await baseline_of(name, evaluator, run), evaluator=name)
        await run.emit(events.ChecksBaseline(run.baseline.by_evaluator[name]))
    await run.warn()


async def baseline_of(name: str, evaluator: SupportsBaseline, run: TaskRun) -> Baseline:
    """Return one evaluator's baseline; an empty one if it has none or fails, so that everything it finds counts."""
    try:
        with contain_exit():
            found = await run.with_deadline(evaluator.baseline(run)) or Baseline(name)
        if wrong := type_error_of(found, Baseline):
            raise TypeError(wrong)
        return found
    except LimitExceededError as reached:
        run.note_limit(reached.limit)
    except Exception as error:  # an evaluator is a plugin: without a baseline it judges all there is
        run.services.warn_once(f"{name} could not record a baseline: {error}")
    return Baseline(name)


def resume_baselines(run: TaskRun) -> None:
    """Restore baselines from the log. Record them again if they were lost before the first tool call."""
    past = run.replay
    lost = sorted(baselined_evaluators(run.evaluators).keys() - past.baselines.keys())
    if not past.origin or (lost and not past.called):
        return
    run.baseline.taken, run.workspace_state.origin, run.baseline.by_evaluator = True, past.origin, dict(past.baselines)
    if lost:
        run.services.warn_once(LOST.format(names=", ".join(lost)))


def baselined_evaluators(evaluators: Mapping[str, Evaluator]) -> dict[str, SupportsBaseline]:
    """Return the evaluators that record a baseline."""
    return {name: one for name, one in evaluators.items() if isinstance(one, SupportsBaseline)}
