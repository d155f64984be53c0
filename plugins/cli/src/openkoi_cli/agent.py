"""``openkoi run AGENT.yaml TASK...``: let a described agent do a task. It is shown, and it ends, like any other."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation
from .run import Asked, do
from .run import command as of_tasks

if TYPE_CHECKING:
    from openkoi_agents.spec import Spec
    from openkoi_hookspecs import Agent, Koi, Task
    from openkoi_settings import Config

OUTRANKED = ("iterations", "quality_threshold", "usd")
# What a person has set a cap on, a file may only lower: it may have come with somebody's repository. Of dollars the cap
# holds also where it was left as it is.
CAPS = ("usd", "tokens", "seconds", "cycles", "iterations")
MORE = "The agent wants ${:.2f}, and may spend ${:.2f}: allow more with --budget or [safety] max_cost_usd."
STRONGER = ("--", "$")


@click.pass_obj
def given(invocation: Invocation, /, agent: str, words: tuple[str, ...], format: str, **flags: Any) -> int:
    """Let the agent that a YAML file describes do a task. Flags and variables outrank the file."""
    from openkoi_agents.spec import read_agent

    from .renderers import rendering

    with rendering(format, invocation) as renderer:
        from_stdin, dry = flags.pop("from_stdin"), flags.pop("dry")
        if not (words or from_stdin):
            raise click.UsageError(f'There is no task. Say what to do: openkoi run {agent} "Fix the failing tests"')
        spec = played(read_agent(agent), flags)
        named = {**flags, "executor": spec.agent.model or flags["executor"]}

        def given_to(task: "Task", koi: "Koi") -> "Task":
            return led(task, spec, koi, invocation.read_config(named))

        do(Asked(words, named, from_stdin, dry=dry, given_to=given_to), renderer)
    return renderer.report.status


command = click.Command(
    "run",
    callback=given,
    help=given.__doc__,
    params=[
        click.Argument(["agent"], metavar="AGENT.yaml"),
        click.Argument(["words"], nargs=-1, metavar="TASK..."),
        *(param for param in of_tasks.params if isinstance(param, click.Option)),
    ],
    context_settings=of_tasks.context_settings,
)


def played(spec: "Spec", flags: Mapping[str, Any]) -> "Spec":
    """What the file says, by the model that the line or OPENKOI_EXECUTOR names, if they name one."""
    named = flags.get("model") or flags.get("executor") or os.environ.get("OPENKOI_EXECUTOR")
    return replace(spec, agent=without_models(spec.agent)) if named else spec


def led(task: "Task", spec: "Spec", koi: "Koi", config: "Config") -> "Task":
    """The task as the file wants it done, but for what stronger places say; what is not made use of is said."""
    from openkoi_settings import keys

    for note in spec.notes:
        koi.warn(note)
    taken = {limit: None for limit in OUTRANKED if outranked(keys.LIMITS[limit].name, config)}
    agent = replace(spec.agent, usd=None) if "usd" in taken else spec.agent
    limits = replace(spec.bounds, **taken).over(config.limits)
    if limits.usd > config.limits.usd:
        koi.warn(MORE.format(limits.usd, config.limits.usd))
    own = [limit for limit in CAPS if limit == "usd" or keys.LIMITS[limit] in config]
    capped = {limit: min(getattr(limits, limit), getattr(config.limits, limit)) for limit in own}
    if "cycles" in own:
        agent = no_longer(agent, capped["cycles"])
    return replace(task, agent=agent, limits=replace(limits, **capped))


def no_longer(agent: "Agent", most: int) -> "Agent":
    """The agent, and every member of its team, with so many cycles at most."""
    team = agent.team and replace(agent.team, members=tuple(no_longer(one, most) for one in agent.team.members))
    return replace(agent, team=team, cycles=None if agent.cycles is None else min(agent.cycles, most))


def outranked(key: str, config: "Config") -> bool:
    """Whether the line, or a variable, says what a key is."""
    setting = config.settings.get(key)
    return setting is not None and setting.origin.startswith(STRONGER)


def without_models(agent: "Agent") -> "Agent":
    """The agent, and every member of its team, as played by the model that outranks theirs."""
    members = tuple(map(without_models, agent.team.members)) if agent.team else ()
    return replace(agent, model="", team=replace(agent.team, members=members) if agent.team else None)
