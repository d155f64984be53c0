"""Reduce events to what is needed to rebuild a run's tables."""

from dataclasses import replace

from openkoi_hookspecs import Event, ExecutionResult, Plan, Response
from openkoi_hookspecs.events import (
    EvaluationFinished,
    ExecutionFinished,
    LearningSaved,
    ModelResponse,
    PlanReady,
    TaskStarted,
)
from openkoi_runlog import COURSE_EVENTS, PAID_EVENTS
from openkoi_search.task_summary import truncate

MAX_OUTPUT_CHARACTERS = 4_000
STORED_EVENTS: tuple[type[Event], ...] = (*COURSE_EVENTS, *PAID_EVENTS, LearningSaved)
KINDS: dict[str, type[Event]] = {kind.name: kind for kind in STORED_EVENTS}


def reduce_event(event: Event) -> Event | None:
    """Return the parts of an event that tables need, or None if no table needs it."""
    match event:
        case TaskStarted(task=task):
            return replace(event, task=replace(task, context=""))
        case PlanReady():
            return replace(event, plan=Plan())
        case ModelResponse(response=reply):
            return replace(event, response=Response((), reply.done))
        case ExecutionFinished(work=work):
            text = truncate(work.text, MAX_OUTPUT_CHARACTERS)
            return replace(event, work=ExecutionResult(text, files=work.files, ended=work.ended))
        case EvaluationFinished(evaluation=evaluation):
            return replace(event, evaluation=replace(evaluation, log=""))
        case _:
            return event if type(event) in KINDS.values() else None


def learning_id(event: Event) -> str:
    """Return the id of the learning that an event is about."""
    return event.learning.id if isinstance(event, LearningSaved) else ""
