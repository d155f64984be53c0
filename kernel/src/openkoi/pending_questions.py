"""Ask the user outside runs; list and answer pending questions of this and other processes."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from openkoi_base.files import is_run_active, lock_run
from openkoi_base.files.short_ids import find_by_prefix
from openkoi_hookspecs import PendingQuestion, Question, RunState, events
from openkoi_runlog import summarize_runs

from .ask_user import pending_question
from .services import Services


async def ask_outside_runs(question: Question, services: Services) -> str | None:
    """Ask the user for this process; return None if there is no answer. A kept answer is used again without asking."""
    if (kept := services.consents.answer_to(question)) is not None:
        return kept
    if not (services.user_questions.attendants or services.user_questions.wait_seconds > 0):
        return None
    waiting = pending_question(question, services.redactor)
    if question.secret:
        return await services.ask(question, waiting)
    with lock_run(services.running, waiting.id):
        services.publish("", [events.QuestionAsked(waiting.id, waiting.question.text)])
        answer = None
        try:
            answer = await services.ask(question, waiting)
        finally:
            services.publish("", [events.QuestionAnswered(waiting.id, answer)])
        return answer


async def pending_questions(services: Services) -> Sequence[PendingQuestion]:
    """List the questions without an answer, oldest first; delete those of ended runs and programs."""
    store = await services.user_questions.store()
    found = []
    for one in await store.pending() if store else ():
        alive = is_run_active(services.running, one.outermost or one.id)
        if store and not alive and await asyncio.to_thread(is_over, one, services):
            await store.remove(one.id)
        else:
            found.append(replace(one, alive=alive))
    return found


def is_over(question: PendingQuestion, services: Services) -> bool:
    """Return whether no answer is needed any more: the program that asked has ended, or the run has its result."""
    sessions = [question.session] if question.session else []
    there = summarize_runs(sessions, services.config.paths.sessions, lambda run: False)
    return not question.run or (question.outermost, RunState.FINISHED) in ((one.id, one.state) for one in there)


async def answer_question(id: str, answer: str, services: Services) -> PendingQuestion:
    """Answer a question by its id or a prefix of it.

    Raises PluginNotFoundError, or KoiError if several ids have this prefix.
    """
    found = find_by_prefix(id, {one.id: one for one in await pending_questions(services)}, "question")
    if store := await services.user_questions.store():
        await store.answer(found.id, services.redactor.mask_known(answer))
    return found
