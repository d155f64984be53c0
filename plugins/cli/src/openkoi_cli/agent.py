"""Define ``openkoi run AGENT.yaml TASK...``, which assigns a task to an agent described in YAML."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation
from .run_task import command as of_tasks
from .run_task import read_options, run_task
from .setting_names import LIMITS

if TYPE_CHECKING:
    from openkoi_agents.spec import Spec
    from openkoi_hookspecs import Agent, Koi, Task

OVERRIDABLE = ("iterations", "quality_threshold", "usd")
# A file, which may come with another author's repository, may only lower limits that the user has set, and the default
# limit in dollars.
CAPPED = ("usd", "tokens", "seconds", "cycles", "iterations")
OVER_LIMIT = (
    "The agent requests a budget of ${:.2f}, but the limit is ${:.2f}. "
    "Raise the limit with --budget, or with `max_cost_usd` under [safety] in the config file."
)
OVERRIDING_ORIGINS = ("--", "$")


@click.pass_obj
def run_agent(invocation: Invocation, /, agent: str, words: tuple[str, ...], layout: str, **flags: Any) -> int:
    """Run a task with an agent described in a YAML file. Flags and variables override the file."""
    from openkoi_agents.spec import read_agent

    from .renderers import open_renderer

    with open_renderer(layout, invocation) as renderer:
        asked = read_options(words, flags)
        spec = override_model(read_agent(agent), flags)
        named = {**flags, "executor": spec.agent.model or flags["executor"]}

        def given_to(task: "Task", koi: "Koi") -> "Task":
            return assign_task(task, spec, koi)

        run_task(asked._replace(flags=named, given_to=given_to, command=f"openkoi run {agent}"), renderer)
    return renderer.report.status


command = click.Command(
    "run",
    callback=run_agent,
    help=run_agent.__doc__,
    params=[
        click.Argument(["agent"], metavar="AGENT.yaml"),
        click.Argument(["words"], nargs=-1, metavar="TASK..."),
        *(one for one in of_tasks.params if isinstance(one, click.Option) and one.name != "as_task"),
    ],
    context_settings=of_tasks.context_settings,
)


def override_model(spec: "Spec", flags: Mapping[str, Any]) -> "Spec":
    """Return the spec without its models, if the command line or OPENKOI_EXECUTOR sets one."""
    named = flags.get("model") or flags.get("executor") or os.environ.get("OPENKOI_EXECUTOR")
    return replace(spec, agent=remove_models(spec.agent)) if named else spec


def assign_task(task: "Task", spec: "Spec", koi: "Koi") -> "Task":
    """Return the task with the file's agent and limits, except what is overridden; warn about unused settings."""
    origins = {one.key: one.origin for one in koi.settings()}
    for note in spec.notes:
        koi.warn(note)
    taken = {limit: None for limit in OVERRIDABLE if is_overridden(origins.get(LIMITS[limit], ""))}
    agent = replace(spec.agent, usd=None) if "usd" in taken else spec.agent
    limits = replace(spec.bounds, **taken).apply_to(koi.limits)
    if limits.usd > koi.limits.usd:
        koi.warn(OVER_LIMIT.format(limits.usd, koi.limits.usd))
    own = [limit for limit in CAPPED if limit == "usd" or LIMITS[limit] in origins]
    capped = {limit: min(getattr(limits, limit), getattr(koi.limits, limit)) for limit in own}
    if "cycles" in own:
        agent = cap_cycles(agent, capped["cycles"])
    return replace(task, agent=agent, limits=replace(limits, **capped))


def cap_cycles(agent: "Agent", most: int) -> "Agent":
    """Return the agent and its team with a maximum number of cycles."""
    team = agent.team and replace(agent.team, members=tuple(cap_cycles(one, most) for one in agent.team.members))
    return replace(agent, team=team, cycles=None if agent.cycles is None else min(agent.cycles, most))


def is_overridden(origin: str) -> bool:
    """Return whether the command line or a variable sets a setting."""
    return origin.startswith(OVERRIDING_ORIGINS)


def remove_models(agent: "Agent") -> "Agent":
    """Return the agent and its team without models."""
    members = tuple(map(remove_models, agent.team.members)) if agent.team else ()
    return replace(agent, model="", team=replace(agent.team, members=members) if agent.team else None)
