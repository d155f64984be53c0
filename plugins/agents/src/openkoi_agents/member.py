"""One member of a team at work: a sub-task of its own, paid from what is left. Knows no strategy."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from openkoi_hookspecs import Agent, ExecutionResult, KoiError, LimitExceededError, Run, StopReason, Task
from openkoi_hookspecs.events import WarningIssued

NO_REASON = "It refused and gave no reason."


class PersonWanted(KoiError):
    """A member cannot go on before a person allows what comes next."""


@dataclass(frozen=True, slots=True)
class Said:
    """A member's last words in one sub-task; ``refused``: its model or the model's vendor declined."""

    by: str
    text: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """How a team ends: its last words, and why it stops."""

    text: str
    why: str = "answered"
    ended: StopReason = StopReason.DONE

    @classmethod
    def refused(cls, *refusals: Said) -> "Close":
        """Return the end of a team whose members refused, with their words."""
        several = len(refusals) > 1
        text = "\n\n".join(f"{said.by}: {said.text}" if several else said.text for said in refusals)
        return cls(text, StopReason.REFUSED.value, StopReason.REFUSED)


@dataclass(frozen=True, slots=True)
class Errand:
    """What a member is asked for beside the task itself: what to do with it, and what others said."""

    wish: str = ""
    heard: Sequence[Said] = ()


@dataclass(slots=True)
class Crew:
    """A team's run and those of its members that have failed, each with what went wrong."""

    run: Run
    leader: Agent
    task: Task
    failed: dict[str, KoiError] = field(default_factory=dict)

    def able(self, members: Iterable[Agent]) -> list[Agent]:
        """Those that have not failed."""
        return [member for member in members if member.name not in self.failed]

    async def send(self, member: Agent, errand: Errand) -> Said | None:
        """What the member says to it; None, and a warning with its name, when it fails."""
        task = subtask(self.task, enlisted(member, self.leader), errand)
        try:
            result = await self.run.solve(task)
            work = result.best.work
            return Said(member.name, spoken(member.name, work), refused=work.ended is StopReason.REFUSED)
        except PersonWanted:
            raise
        except KoiError as error:
            self.failed[member.name] = error
        await self.run.emit(
            WarningIssued(f"{member.name} failed, and the others go on without it: {self.failed[member.name]}")
        )
        return None

    def fault(self) -> KoiError:
        """What to raise when nobody is left: what went wrong last."""
        return next(
            reversed(self.failed.values()), KoiError(f"The team {self.leader.name} has no members. Add agents.")
        )


def spoken(name: str, work: ExecutionResult) -> str:
    """A member's words; raises when it could not go on, or has none: then there is nothing to go on with."""
    if work.ended is StopReason.PERSON:
        raise PersonWanted(f"{name} needs a person to allow what comes next, and nobody is there.")
    if work.text.strip():
        return work.text
    if work.ended is StopReason.REFUSED:
        return NO_REASON
    if work.ended in (StopReason.BUDGET, StopReason.TIME):
        raise LimitExceededError(work.limit or work.ended.value)
    raise KoiError("It has said nothing.")


def subtask(task: Task, member: Agent, errand: Errand) -> Task:
    """The team's task as a member gets it: executed once, and within the member's own limits."""
    limits = replace(task.effective_limits, iterations=0)
    if member.cycles is not None:
        limits = replace(limits, cycles=member.cycles)
    if member.usd is not None:
        limits = replace(limits, usd=min(member.usd, limits.usd))
    heard = [f"# Answer of {said.by}\n\n{said.text}" for said in errand.heard]
    return replace(
        task,
        text="\n\n".join(filter(None, (task.text, errand.wish))),
        context="\n\n".join(filter(None, (task.context, *heard))),
        limits=limits,
        agent=member,
    )


def enlisted(member: Agent, leader: Agent) -> Agent:
    """A member as its team binds it: what the team is told, what it may not do, and what it asks about hold for all."""
    return replace(
        member,
        instructions="\n\n".join(filter(None, (leader.instructions, member.instructions))),
        model=member.model or leader.model,
        tools=both_allow(member.tools, leader.tools),
        approvals=united(leader.approvals, member.approvals),
        protected=united(leader.protected, member.protected),
    )


def both_allow(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The patterns of either side that the other side covers as a whole: nothing that one of them leaves out."""
    ours = [one for one in some if any(covers(other, one) for other in others)]
    theirs = [one for one in others if any(covers(other, one) for other in some)]
    return united(ours, theirs)


def covers(pattern: str, one: str) -> bool:
    """Whether all that one pattern means is meant by another; no, where that is not certain."""
    certain = not (set("?[") & set(pattern) and set("*?[") & set(one))
    return pattern == one or (certain and fnmatchcase(one, pattern))


def united(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))
