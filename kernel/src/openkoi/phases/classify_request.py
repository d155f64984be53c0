"""Classify the request of work that changed nothing: is it a question? Decide by its words, or else by asking a model.

If the words leave it open, a model is asked one short question about the request alone: neither the answer nor
the work can sway that. Only a plain "no" makes it a question; after any other reply it is work.
"""

from dataclasses import replace

from openkoi_base.decision.facts import policy_of
from openkoi_base.isolation import with_timeout
from openkoi_hookspecs import ExecutionResult, KoiError, LimitExceededError, Plan, Policy, StopReason, events
from openkoi_prompt import effect_request, is_question, says_no

from ..run import TaskRun

ROLE = "evaluator"
MAX_REQUEST = 20_000  # characters, about 5,000 tokens: a longer one saves little over judging, 8,000 (model_client.py)
PATIENCE = 30.0  # seconds; of a short time left, half is the judge's
MAX_REASON = 80


async def classify_request(plan: Plan, work: ExecutionResult, run: TaskRun) -> Plan:
    """Return the plan, marked as a question if nothing was changed and the request asks for no change."""
    if plan.asks or work.changed:
        return plan
    before = run.replay.after_work()
    if isinstance(before, events.RequestClassified):
        run.replay.pop_event(events.RequestClassified)
        run.classified = run.classified or before.by != events.WORDS
        return replace(plan, asks=before.question)
    if before or policy_of(run.task, plan, run.evaluators) is Policy.NONE:  # this iteration is decided without it
        return plan
    if is_question(run.task.text):
        found = events.RequestClassified(True)
    elif can_ask(plan, work, run):
        run.classified = True
        found = await ask_model(run)
    else:
        return plan
    await run.emit(found)
    return replace(plan, asks=found.question)


def can_ask(plan: Plan, work: ExecutionResult, run: TaskRun) -> bool:
    """Return whether a model's answer could save an evaluation; it is asked once per run."""
    if run.classified or run.reached_limit or len(run.task.text) > MAX_REQUEST:
        return False
    finished = work.ended is StopReason.DONE and work.answered
    return finished and policy_of(run.task, plan, run.evaluators) is Policy.JUDGE


async def ask_model(run: TaskRun) -> events.RequestClassified:
    """Ask a model whether the request wants an effect. After a limit or an error, the request counts as work."""
    request = effect_request(run.task.text, ROLE)
    refused, seconds = run.budget.refused, min(PATIENCE, run.seconds_left / 2)
    try:
        reply = await with_timeout(run.chat(request), seconds, run.budget.deadlines)
    except LimitExceededError as reached:
        run.budget.refused = refused
        return events.RequestClassified(False, ROLE, f"did not answer: {reached}"[:MAX_REASON])
    except KoiError as error:
        return events.RequestClassified(False, ROLE, f"did not answer: {error}"[:MAX_REASON])
    answer = " ".join(reply.text.split())[:MAX_REASON] or "nothing"
    return events.RequestClassified(says_no(reply), ROLE, f"answered: {answer}")
