"""Run the member whose reply decides whether a team is done: a reviewer or moderator.

Its conditions are checked after its reply, not while it works: a reviewer that asks for fixes has done its work.
"""

from collections.abc import Iterable
from dataclasses import replace

from openkoi_base.decision.termination import met_condition
from openkoi_hookspecs import Agent, Record, ToolResult, ToolReturned, events

from .sub_agent import MemberReply, MemberTask, TeamRun


async def ask_decider(member: Agent, errand: MemberTask, crew: TeamRun) -> MemberReply | None:
    """Return the deciding member's reply, if it has not failed."""
    return await crew.send(replace(member, conditions=()), errand) if crew.available_members([member]) else None


def met_condition_of(member: Agent, reply: MemberReply | None, crew: TeamRun) -> str:
    """Return the kind of its condition that is met, or an empty string; read the log only if needed."""
    if reply is None:
        return ""
    looks = any(isinstance(condition, ToolReturned) for condition in member.conditions)
    records = crew.run.koi.records(crew.run.task.session) if looks else ()
    return met_condition(member.conditions, reply.text, results_of(records, crew.run.id, member.name))


def results_of(records: Iterable[Record], parent: str, member: str) -> list[tuple[str, ToolResult]]:
    """Return the tool results of the member's last sub-task, with their tools' names."""
    run, tools, found = "", dict[str, str](), list[tuple[str, ToolResult]]()
    for record in records:
        match record.event:
            case events.TaskStarted(task=task) if task.parent == parent and task.agent and task.agent.name == member:
                run, tools, found = record.run, {}, []
            case events.ToolCallStarted(call=call, by_plugin=False) if record.run == run:
                tools[call.id] = call.tool
            case events.ToolCallFinished(result=result) if record.run == run and result.call in tools:
                found.append((tools[result.call], result))
    return found
