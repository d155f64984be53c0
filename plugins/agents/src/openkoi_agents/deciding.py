"""Run a member whose reply decides whether a team is done: a reviewer or moderator.

Its conditions are checked after its reply, not while it works: a reviewer that asks for fixes has done its work.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from openkoi_hookspecs import Agent, Condition, Record, TextIncludes, ToolResult, ToolReturned, events

from .member import MemberReply, MemberTask, TeamRun


async def ask_decider(member: Agent, errand: MemberTask, crew: TeamRun) -> MemberReply | None:
    """Return its reply, if it has not failed."""
    return await crew.send(replace(member, conditions=()), errand) if crew.able([member]) else None


def met_condition_of(member: Agent, said: MemberReply | None, crew: TeamRun) -> str:
    """Return the kind of its condition that is met, or an empty string; read the log only if needed."""
    if said is None:
        return ""
    looks = any(isinstance(condition, ToolReturned) for condition in member.conditions)
    records = crew.run.koi.records(crew.run.task.session) if looks else ()
    return met_condition(member.conditions, said, results_of(records, crew.run.id, member.name))


def met_condition(conditions: Sequence[Condition], said: MemberReply, results: Sequence[tuple[str, ToolResult]]) -> str:
    """Return the kind of the first condition met by the reply and the tool results, or an empty string."""
    for condition in conditions:
        match condition:
            case TextIncludes(text=text) if text in said.text:
                return "text-includes"
            case ToolReturned(tool=name) if any(
                tool == name and matches_result(condition, one) for tool, one in results
            ):
                return "tool-result"
    return ""


def matches_result(condition: ToolReturned, result: ToolResult) -> bool:
    """Whether a result is what was declared; a failed one is only where its exit code is asked for."""
    if condition.exit_code is None and result.failed:
        return False
    return condition.exit_code in (None, result.exit_code) and condition.contains in result.text


def results_of(records: Iterable[Record], parent: str, member: str) -> list[tuple[str, ToolResult]]:
    """Return the tool results of the member's last sub-task, with their tools' names."""
    run, tools, found = "", dict[str, str](), list[tuple[str, ToolResult]]()
    for record in records:
        match record.event:
            case events.TaskStarted(task=task) if task.parent == parent and task.agent and task.agent.name == member:
                run, tools, found = record.run, {}, []
            case events.ToolCallStarted(call=call) if record.run == run:
                tools[call.id] = call.tool
            case events.ToolCallFinished(result=result) if record.run == run and result.call in tools:
                found.append((tools[result.call], result))
    return found
