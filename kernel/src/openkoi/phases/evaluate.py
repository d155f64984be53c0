"""Ask all evaluators, checks first and judges last, and make one evaluation of what they say. Knows no rubric."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from openkoi_hookspecs import (
    Ended,
    Evaluation,
    Evaluator,
    Finding,
    LimitReached,
    Mode,
    Plan,
    PluginFault,
    Severity,
    Work,
    events,
    moments,
)
from openkoi_prompt import only_asks

from ..facts import misfit
from ..kernel import Kernel
from .plan import attributed

SEVERITIES = tuple(Severity)
MODES = tuple(Mode)
NOT_ASKED = "could not be asked"


async def evaluate(plan: Plan, work: Work, run: Kernel) -> Evaluation | None:
    """What all evaluators together say; None when there is nothing to judge, or nobody has an opinion."""
    if not wanted(plan, work, run) or work.ended is Ended.PERSON or fruitless(work):
        return None
    if repeated(work, run):
        last = run.iterations[-1].evaluation
        return replace(last, mode=Mode.CACHED) if last else None
    if run.past.unjudged():
        return None
    if known := run.past.take(events.Evaluated):
        return known.evaluation
    said = await opinions(work, run)
    missing = (*unmet(said, run.house.config.strings("evaluation.require", ())), *cut_off(said))
    if not said and not missing:
        return None
    whole = await refolded(merge(said.values(), missing), work, run)
    await run.emit(events.Evaluated(whole, tuple(said)))
    return whole


async def refolded(whole: Evaluation, work: Work, run: Kernel) -> Evaluation:
    """What plugins make of the evaluation, as long as its scores are scores."""
    other = await run.fold(moments.after_evaluate, whole, work=work, run=run)
    try:
        return sound(other)
    except ValueError as error:
        await run.emit(events.Warned(f"What plugins made of the evaluation is left out: {error}."))
        return whole


def wanted(plan: Plan, work: Work, run: Kernel) -> bool:
    """Whether the work is to be judged: also when what looked like a question changed files after all."""
    mistaken = bool(work.files) and run.task.limits.iterations > 0 and only_asks(run.task.text)
    return plan.judged or mistaken


def fruitless(work: Work) -> bool:
    """Whether it went in circles and changed nothing: no judgement could save it."""
    return work.ended is Ended.LOOP and not work.files


def repeated(work: Work, run: Kernel) -> bool:
    """Whether this is the very work that was judged last."""
    if not run.iterations:
        return False
    last = run.iterations[-1]
    judged = last.evaluation is not None and not last.evaluation.unknown
    return judged and not run.touched and (last.work.text, last.work.diff) == (work.text, work.diff)


async def opinions(work: Work, run: Kernel) -> dict[str, Evaluation]:
    """Each evaluator's opinion, by name; each sees what those before it found."""
    said: dict[str, Evaluation] = {}
    if not run.evaluators:
        return said
    await run.settle_baseline()
    given = await run.gather(moments.before_evaluate, work=work, run=run)
    shown = replace(work, criteria=tuple(attributed(given)))
    for name, evaluator in run.evaluators.items():
        known = merge(said.values()) if said else None
        opinion = await asked(name, evaluator, replace(shown, known=known), run)
        if opinion is None:
            continue
        said[name] = opinion
        if opinion.unknown:
            run.house.warn_once(f"{name} could not judge: {opinion.unknown}")
    await run.warn()
    return said


async def asked(name: str, evaluator: Evaluator, work: Work, run: Kernel) -> Evaluation | None:
    """One opinion; an evaluator that fails has none that is known."""
    try:
        opinion = await run.in_time(evaluator.evaluate(work, run))
        return None if opinion is None else sound(opinion)
    except LimitReached as reached:
        return Evaluation(unknown=f"{name} {NOT_ASKED}: {reached}")
    except Exception as error:  # an evaluator is a plugin: its fault is an unknown, never a number
        return Evaluation(unknown=str(PluginFault(name, "evaluate", f"{type(error).__name__}: {error}")))


def sound(opinion: Evaluation) -> Evaluation:
    """Refuse what is no evaluation, and scores that are no scores."""
    if wrong := misfit(opinion, Evaluation):
        raise ValueError(f"it is no evaluation: {wrong}")
    for score in opinion.scores:
        if not (0 <= score.value <= 1 and 0 <= score.weight < math.inf):
            raise ValueError(f"{score.dimension} is scored {score.value} with weight {score.weight}")
    return opinion


def unmet(said: Mapping[str, Evaluation], required: Sequence[str]) -> tuple[str, ...]:
    """Why those evaluators have no judgement without whose judgement nothing is accepted."""
    silent = [f"{name} is required and has no opinion" for name in required if name not in said]
    return (*silent, *(said[name].unknown for name in required if name in said and said[name].unknown))


def cut_off(said: Mapping[str, Evaluation]) -> tuple[str, ...]:
    """Why nothing is accepted when a limit kept evaluators from judging, unless required checks speak for the work."""
    if any(check.required for opinion in said.values() for check in opinion.checks):
        return ()
    return tuple(opinion.unknown for opinion in said.values() if NOT_ASKED in opinion.unknown)


def merge(opinions: Iterable[Evaluation], missing: Iterable[str] = ()) -> Evaluation:
    """One evaluation of many. It is unknown when nobody knows, or when one is missing that must be known.

    Its mode is that of the opinion which was spared most.
    """
    every = list(opinions)
    known = [opinion for opinion in every if not opinion.unknown]
    reasons = list(missing) or ([] if known else [opinion.unknown for opinion in every])
    return Evaluation(
        checks=tuple(check for opinion in known for check in opinion.checks),
        scores=tuple(score for opinion in known for score in opinion.scores),
        findings=distinct(finding for opinion in known for finding in opinion.findings),
        mode=max((opinion.mode for opinion in known), key=MODES.index, default=Mode.FULL),
        unknown="; ".join(reasons),
        suggestion=" ".join(opinion.suggestion for opinion in known if opinion.suggestion),
        log="\n".join(opinion.log for opinion in known if opinion.log),
    )


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Of findings that are the same one the severest stands, in the place of the first."""
    kept: dict[tuple[str, str, str], Finding] = {}
    for finding in findings:
        same = (finding.rule, finding.where, finding.title)
        before = kept.get(same)
        if before is None or SEVERITIES.index(finding.severity) < SEVERITIES.index(before.severity):
            kept[same] = finding
    return tuple(kept.values())
