"""Define how the agents of a team work together: one after another, in parallel, in a debate, or with a reviewer."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from openkoi_hookspecs import Agent, StopReason, Strategy, Team
from openkoi_hookspecs.events import WarningIssued

from .reviewer import ask_decider, met_condition_of
from .sub_agent import MemberReply, MemberTask, TeamResult, TeamRun

GO_ON = "Another agent has worked on this. Its answer is in the input. Continue from there and do not repeat its work."
ANSWER = (
    "Other agents are working on this task. Their latest answers are in the input. Respond to them; say where you "
    "agree."
)
MODERATE = (
    "You are the moderator. The other agents' latest answers are in the input. Say whether they agree, and summarize."
)
LAST = "This is the last round: write the summary as the answer to the task."
REVIEW = (
    "Another agent has done this task. Its answer is in the input. Do not do the task again: inspect the result and "
    "review it. Name each problem, where it is, and how to fix it."
)
REVISE = (
    "This task was attempted before. A reviewer's findings are in the input. Fix them, verify the result, and give "
    "an answer that covers the whole task."
)
ROUNDS = "rounds"
ALONE = MemberTask()


async def sequential(team: Team, crew: TeamRun) -> TeamResult:
    """Run members one after another, each with the previous reply."""
    last = await in_turn(team.members, ALONE, crew)
    return TeamResult.from_refusals(last) if last.refused else TeamResult(last.text)


async def parallel(team: Team, crew: TeamRun) -> TeamResult:
    """Run all members at once; list their replies under their names."""
    answers = await all_at_once([(member, ALONE) for member in team.members], crew)
    if not answers:
        raise crew.make_failure()
    return (
        TeamResult.from_refusals(*answers)
        if all(reply.refused for reply in answers)
        else TeamResult(join_replies(answers))
    )


async def debate(team: Team, crew: TeamRun) -> TeamResult:
    """Run rounds in which each member sees the others' last replies; the last member moderates."""
    *others, moderator = team.members
    latest: dict[str, MemberReply] = {}
    why = ROUNDS
    for number in range(1, team.rounds + 1):
        rows = [(member, make_reply_task(member, latest, ANSWER)) for member in crew.available_members(others)]
        latest |= {reply.by: reply for reply in await all_at_once(rows, crew)}
        wish = f"{MODERATE} {LAST}" if number == team.rounds else MODERATE
        summary = await ask_decider(moderator, make_reply_task(moderator, latest, wish), crew)
        latest |= {moderator.name: summary} if summary else {}
        why = met_condition_of(moderator, summary, crew) or ROUNDS
        if why != ROUNDS or not crew.available_members(others):
            break
    if not latest:
        raise crew.make_failure()
    if all(reply.refused for reply in latest.values()):
        return TeamResult.from_refusals(*latest.values())
    await warn_if_undecided(moderator, why, crew)
    summary = latest.get(moderator.name)
    text = summary.text if summary and not summary.refused else join_replies(latest.values())
    return end_rounds(text, why, moderator)


async def iterative(team: Team, crew: TeamRun) -> TeamResult:
    """Let the last member review the others' work, one after another, until a condition is met."""
    *workers, reviewer = team.members
    done = await in_turn(workers, ALONE, crew)
    why = ROUNDS
    for number in range(1, team.rounds + 1):
        review = await ask_decider(reviewer, MemberTask(REVIEW, (done,)), crew)
        why = met_condition_of(reviewer, review, crew) or ROUNDS
        if review is None or why != ROUNDS or not crew.available_members(workers) or number == team.rounds:
            break
        done = await in_turn(crew.available_members(workers), MemberTask(REVISE, (review,)), crew, done)
    if done.refused:
        return TeamResult.from_refusals(done)
    await warn_if_undecided(reviewer, why, crew)
    return end_rounds(done.text, why, reviewer)


async def in_turn(
    members: Sequence[Agent], errand: MemberTask, crew: TeamRun, before: MemberReply | None = None
) -> MemberReply:
    """Return the last reply; each member continues from the previous one, and ``before`` counts if all fail."""
    reply: MemberReply | None = None
    for member in members:
        reply = await crew.send(member, MemberTask(GO_ON, (reply,)) if reply else errand) or reply
    last = reply or before
    if last is None:
        raise crew.make_failure()
    return last


async def all_at_once(rows: Iterable[tuple[Agent, MemberTask]], crew: TeamRun) -> list[MemberReply]:
    answers = await asyncio.gather(*(crew.send(member, errand) for member, errand in rows), return_exceptions=True)
    for fault in answers:
        if isinstance(fault, BaseException):
            raise fault
    return [reply for reply in answers if isinstance(reply, MemberReply)]


async def warn_if_undecided(member: Agent, why: str, crew: TeamRun) -> None:
    """Warn that the deciding member's condition was not met."""
    if why == ROUNDS and member.conditions and crew.available_members([member]):
        await crew.run.emit(
            WarningIssued(f"{member.name} was not satisfied after the last round. The current result is used.")
        )


def end_rounds(text: str, why: str, member: Agent) -> TeamResult:
    """Return the result of a team's rounds; without the declared decision, it ends as if the cycles were used up."""
    return TeamResult(text, why, StopReason.CYCLES if why == ROUNDS and member.conditions else StopReason.DONE)


def make_reply_task(member: Agent, latest: Mapping[str, MemberReply], wish: str) -> MemberTask:
    """Return the request to a member after others have replied."""
    replies = [reply for name, reply in latest.items() if name != member.name]
    return MemberTask(wish, replies) if replies else ALONE


def join_replies(answers: Iterable[MemberReply]) -> str:
    return "\n\n".join(f"## {reply.by}\n\n{reply.text}" for reply in answers)


STRATEGIES: Mapping[Strategy, Callable[[Team, TeamRun], Awaitable[TeamResult]]] = {
    Strategy.SEQUENTIAL: sequential,
    Strategy.PARALLEL: parallel,
    Strategy.DEBATE: debate,
    Strategy.ITERATIVE: iterative,
}
