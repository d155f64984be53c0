"""The ways in which a team works. Knows the order in which members speak, and who hears what; knows no models."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from openkoi_hookspecs import Agent, StopReason, Strategy, Team
from openkoi_hookspecs.events import WarningIssued

from .deciding import decided, verdict
from .member import Close, Crew, Errand, Said

GO_ON = "Another agent has worked on this. Its answer is in the input. Continue from there and do not repeat its work."
ANSWER = "Other agents work on this too. Their last answers are in the input. Respond to them, and say where you agree."
MODERATE = "You moderate. The last answers of the others are in the input. Say whether they agree, and summarize."
LAST = "This is the last round: write the summary as the answer to the task."
REVIEW = (
    "Another agent has done this task. Its answer is in the input. Do not do the task again: inspect the result and "
    "review it. Name each problem, where it is, and how to fix it."
)
REVISE = (
    "This was done before. A reviewer's findings are in the input. Fix them, verify, and answer for the whole task."
)
ROUNDS = "rounds"
ALONE = Errand()


async def sequential(team: Team, crew: Crew) -> Close:
    """One after another, each with the words of the one before."""
    last = await in_turn(team.members, ALONE, crew)
    return Close.refused(last) if last.refused else Close(last.text)


async def parallel(team: Team, crew: Crew) -> Close:
    """All at once; their words stand below their names."""
    answers = await all_at_once([(member, ALONE) for member in team.members], crew)
    if not answers:
        raise crew.fault()
    return Close.refused(*answers) if all(said.refused for said in answers) else Close(joined(answers))


async def debate(team: Team, crew: Crew) -> Close:
    """Round by round, each hears what the others said last; the last of them moderates, and sums up."""
    *others, moderator = team.members
    latest: dict[str, Said] = {}
    why = ROUNDS
    for number in range(1, team.rounds + 1):
        asked = [(member, answering(member, latest, ANSWER)) for member in crew.able(others)]
        latest |= {said.by: said for said in await all_at_once(asked, crew)}
        wish = f"{MODERATE} {LAST}" if number == team.rounds else MODERATE
        summary = await decided(moderator, answering(moderator, latest, wish), crew)
        latest |= {moderator.name: summary} if summary else {}
        why = verdict(moderator, summary, crew) or ROUNDS
        if why != ROUNDS or not crew.able(others):
            break
    if not latest:
        raise crew.fault()
    if all(said.refused for said in latest.values()):
        return Close.refused(*latest.values())
    await unsettled(moderator, why, crew)
    summary = latest.get(moderator.name)
    text = summary.text if summary and not summary.refused else joined(latest.values())
    return closed(text, why, moderator)


async def iterative(team: Team, crew: Crew) -> Close:
    """The last of them reviews what the others do, one after another, until it is content."""
    *workers, reviewer = team.members
    done = await in_turn(workers, ALONE, crew)
    why = ROUNDS
    for number in range(1, team.rounds + 1):
        review = await decided(reviewer, Errand(REVIEW, (done,)), crew)
        why = verdict(reviewer, review, crew) or ROUNDS
        if review is None or why != ROUNDS or not crew.able(workers) or number == team.rounds:
            break
        done = await in_turn(crew.able(workers), Errand(REVISE, (review,)), crew, done)
    if done.refused:
        return Close.refused(done)
    await unsettled(reviewer, why, crew)
    return closed(done.text, why, reviewer)


async def in_turn(members: Sequence[Agent], errand: Errand, crew: Crew, before: Said | None = None) -> Said:
    """What the last of them says; each goes on from the one before. ``before`` stands where all of them fail."""
    said: Said | None = None
    for member in members:
        said = await crew.send(member, Errand(GO_ON, (said,)) if said else errand) or said
    last = said or before
    if last is None:
        raise crew.fault()
    return last


async def all_at_once(asked: Iterable[tuple[Agent, Errand]], crew: Crew) -> list[Said]:
    answers = await asyncio.gather(*(crew.send(member, errand) for member, errand in asked), return_exceptions=True)
    for fault in answers:
        if isinstance(fault, BaseException):
            raise fault
    return [said for said in answers if isinstance(said, Said)]


async def unsettled(member: Agent, why: str, crew: Crew) -> None:
    """Say that a member whose word decides was not content, when it could have been."""
    if why == ROUNDS and member.conditions and crew.able([member]):
        await crew.run.emit(
            WarningIssued(f"{member.name} is not content when the rounds are over. What there is stands.")
        )


def closed(text: str, why: str, member: Agent) -> Close:
    """How a team of rounds ends; where a word was declared that never came, as cycles do that are used up."""
    return Close(text, why, StopReason.CYCLES if why == ROUNDS and member.conditions else StopReason.DONE)


def answering(member: Agent, latest: Mapping[str, Said], wish: str) -> Errand:
    """What a member is asked for once others have spoken."""
    heard = [said for name, said in latest.items() if name != member.name]
    return Errand(wish, heard) if heard else ALONE


def joined(answers: Iterable[Said]) -> str:
    return "\n\n".join(f"## {said.by}\n\n{said.text}" for said in answers)


STRATEGIES: Mapping[Strategy, Callable[[Team, Crew], Awaitable[Close]]] = {
    Strategy.SEQUENTIAL: sequential,
    Strategy.PARALLEL: parallel,
    Strategy.DEBATE: debate,
    Strategy.ITERATIVE: iterative,
}
