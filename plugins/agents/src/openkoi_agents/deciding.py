"""A member whose word decides whether a team is done: a reviewer, a moderator.

Its conditions are looked at when it has spoken, and not while it works: a reviewer that wants something mended has done
its work, and must not be urged to be content.
"""

from collections.abc import Iterable
from dataclasses import replace

from openkoi_decision.termination import met_condition
from openkoi_hookspecs import Agent, Record, ToolResult, ToolReturned, events

from .member import Crew, Errand, Said


async def decided(member: Agent, errand: Errand, crew: Crew) -> Said | None:
    """What it says, if it has not failed."""
    return await crew.send(replace(member, conditions=()), errand) if crew.able([member]) else None


def verdict(member: Agent, said: Said | None, crew: Crew) -> str:
    """The kind of its conditions that holds now; empty when it is not content. The log is only read if it matters."""
    if said is None:
        return ""
    looks = any(isinstance(condition, ToolReturned) for condition in member.conditions)
    records = crew.run.koi.records(crew.run.task.session) if looks else ()
    return met_condition(member.conditions, said.text, results_of(records, crew.run.id, member.name))


def results_of(records: Iterable[Record], parent: str, member: str) -> list[tuple[str, ToolResult]]:
    """What the tools brought in the member's last sub-task, each with its tool's name."""
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
