"""Run one member of a team, a sub-agent, as a sub-task with its own tools and within the remaining budget."""

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from fnmatch import fnmatchcase

from openkoi_hookspecs import Agent, ExecutionResult, KoiError, LimitExceededError, Run, StopReason, Task
from openkoi_hookspecs.events import WarningIssued
from openkoi_hookspecs.lazy_dataclass import dataclass

NO_REASON = "It refused and gave no reason."


class NeedsUserError(KoiError):
    """A member needs the user's approval to continue."""


@dataclass(frozen=True, slots=True)
class MemberReply:
    """A member's last message in one sub-task; ``refused``: its model or the vendor declined."""

    by: str
    text: str
    refused: bool = False


@dataclass(frozen=True, slots=True)
class TeamResult:
    """A team's last message, and why it stopped."""

    text: str
    why: str = "answered"
    ended: StopReason = StopReason.DONE

    @classmethod
    def from_refusals(cls, *refusals: MemberReply) -> "TeamResult":
        """Return the result of a team whose members refused, with their replies."""
        several = len(refusals) > 1
        text = "\n\n".join(f"{reply.by}: {reply.text}" if several else reply.text for reply in refusals)
        return cls(text, StopReason.REFUSED.value, StopReason.REFUSED)


@dataclass(frozen=True, slots=True)
class MemberTask:
    """The additions to the task for a member: an instruction, and replies of others."""

    wish: str = ""
    heard: Sequence[MemberReply] = ()


@dataclass(slots=True)
class TeamRun:
    """A team's run, and its failed members with their errors."""

    run: Run
    leader: Agent
    task: Task
    failed: dict[str, KoiError] = field(default_factory=dict)

    def available_members(self, members: Iterable[Agent]) -> list[Agent]:
        """Return the members that have not failed."""
        return [member for member in members if member.name not in self.failed]

    async def send(self, member: Agent, errand: MemberTask) -> MemberReply | None:
        """Return the member's reply; if it fails, warn and return None."""
        task = make_subtask(self.task, bind_member(member, self.leader), errand)
        try:
            result = await self.run.solve(task)
            work = result.best.work
            return MemberReply(member.name, reply_of(member.name, work), refused=work.ended is StopReason.REFUSED)
        except NeedsUserError:
            raise
        except KoiError as error:
            self.failed[member.name] = error
        await self.run.emit(
            WarningIssued(f"{member.name} failed: {self.failed[member.name]} The others continue without it.")
        )
        return None

    def make_failure(self) -> KoiError:
        """Return the error to raise if no member is left."""
        return next(
            reversed(self.failed.values()),
            KoiError(f"The team {self.leader.name} has no members. List some under composite.agents."),
        )


def reply_of(name: str, work: ExecutionResult) -> str:
    """Return a member's reply; raise an error if it could not continue or has no reply."""
    if work.ended is StopReason.PERSON:
        raise NeedsUserError(
            f"{name} needs your approval to continue, and no terminal is attached. To answer, run `openkoi approve`."
        )
    if work.text.strip():
        return work.text
    if work.ended is StopReason.REFUSED:
        return NO_REASON
    if work.ended in (StopReason.BUDGET, StopReason.TIME):
        raise LimitExceededError(work.limit or work.ended.value)
    raise KoiError("It returned no answer.")


def make_subtask(task: Task, member: Agent, errand: MemberTask) -> Task:
    """Return the team's task for a member: run once, within the member's limits."""
    limits = replace(task.effective_limits, iterations=0)
    if member.cycles is not None:
        limits = replace(limits, cycles=member.cycles)
    if member.usd is not None:
        limits = replace(limits, usd=min(member.usd, limits.usd))
    answers = [f"# Answer from {reply.by}\n\n{reply.text}" for reply in errand.heard]
    return replace(
        task,
        text="\n\n".join(filter(None, (task.text, errand.wish))),
        context="\n\n".join(filter(None, (task.context, *answers))),
        limits=limits,
        agent=member,
    )


def bind_member(member: Agent, leader: Agent) -> Agent:
    """Return a sub-agent with the tools that its team also allows, and its team's instructions and approvals."""
    return replace(
        member,
        instructions="\n\n".join(filter(None, (leader.instructions, member.instructions))),
        model=member.model or leader.model,
        tools=both_allow(member.tools, leader.tools),
        approvals=join_unique(leader.approvals, member.approvals),
        protected=join_unique(leader.protected, member.protected),
    )


def both_allow(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of either side that the other side fully covers."""
    ours = [one for one in some if any(covers(other, one) for other in others)]
    theirs = [one for one in others if any(covers(other, one) for other in some)]
    return join_unique(ours, theirs)


def covers(pattern: str, one: str) -> bool:
    """Return whether a pattern certainly covers another."""
    certain = not (set("?[") & set(pattern) and set("*?[") & set(one))
    return pattern == one or (certain and fnmatchcase(one, pattern))


def join_unique(some: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*some, *others)))
