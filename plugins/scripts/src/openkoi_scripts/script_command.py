"""Run a script as a command of OpenKoi: the text that its function ``command`` returns is run as a task."""

import sys
from functools import partial
from typing import Any

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import NO, YES, Koi, KoiError, PluginError, Result, Task

from .consent import explain_why, is_approved, make_question
from .facts import encode_facts
from .host_functions import NAMES, HostFunctions
from .process import ScriptError, ScriptProcesses
from .script_files import ScriptFile

FUNCTION, PARAMETERS = "command", ("words", "workspace")
NO_FUNCTION = "{path} has no function command(words), so it is not a command."
NOT_APPROVED = "{path} {why}, so it is not run. To decide, run `openkoi script approve {name}`."
NOT_ACCEPTED = 3  # the exit status of a task whose result was not accepted


async def make_command(script: ScriptFile, seconds: float) -> click.Command:
    """Return the command; raise PluginError if the script is not one."""
    processes = ScriptProcesses(str(script.path), script.text, seconds, NAMES)
    try:
        described = {one["name"]: one for one in await processes.describe(load=False)}
    except ScriptError as error:
        raise PluginError(script.name, "loading", str(error)) from error
    if FUNCTION not in described:
        raise KoiError(NO_FUNCTION.format(path=script.path))
    summary = described[FUNCTION]["summary"] or script.description

    @click.command(script.name, help=summary)
    @click.argument("words", nargs=-1)
    @click.pass_obj
    async def run(koi: Koi, words: tuple[str, ...]) -> int:
        return await run_command(script, processes, words, koi)

    return run


async def run_command(script: ScriptFile, processes: ScriptProcesses, words: tuple[str, ...], koi: Koi) -> int:
    """Call the script, and run the task that it returns; return the exit status."""
    require_consent(script, koi)
    show = partial(click.echo, err=True)
    host = HostFunctions(script.name, str(script.path.with_suffix(".toml")), script.capabilities, koi, show=show)
    facts: dict[str, Any] = {"words": words, "workspace": koi.workspace}
    try:
        answer = await processes.call(FUNCTION, encode_facts(facts), host)
    finally:
        await processes.close()
    if answer is None:
        return 0
    if not isinstance(answer, str):
        raise KoiError(f"{script.path}: command returned {answer!r:.60}. Return the text of a task, or None.")
    result: Result = await koi.solve(Task(answer))
    click.echo(koi.redact(result.text))
    return NOT_ACCEPTED if result.accepted is False else 0


def require_consent(script: ScriptFile, koi: Koi) -> None:
    """Ask at the terminal whether a script may run; raise KoiError unless the user allows it."""
    if is_approved(script, koi):
        return
    question = make_question(script)
    if can_prompt(sys.stderr) and koi.consent(script.digest) is None:
        koi.keep_consent(question, YES if click.confirm(koi.redact(question.text), err=True) else NO)
    if not is_approved(script, koi):
        raise KoiError(NOT_APPROVED.format(path=script.path, name=script.name, why=explain_why(script, koi)))
