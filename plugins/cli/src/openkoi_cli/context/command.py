"""``openkoi context``: the prompt of a task, one that was run or one that is about to be. Knows the terminal."""

import asyncio
import re
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Koi, KoiError, Task

if TYPE_CHECKING:
    from .layers import Prompt
    from .recorded import Sessions

ID = re.compile(r"[0-9a-f]{4,32}")


@click.command("context")
@click.argument("words", nargs=-1, metavar="[TASK_ID | TASK...]")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_obj
def context(koi: Koi, /, words: tuple[str, ...], layout: str) -> None:
    """Show the model's prompt layer by layer: tokens per section, and the plugin that added it.

    Show a past task by its id, the last one by default, or a new one by its text. No model is called, and nothing is
    saved.
    """
    from openkoi_base.redact import current_redactor

    from .pages import as_json, table

    prompt = prompt_of(koi, " ".join(words))
    shown = as_json(prompt) if layout == "json" else table(prompt)
    click.echo(current_redactor()(shown))


def prompt_of(koi: Koi, words: str) -> "Prompt":
    """The prompt that is meant."""
    from .ahead import ahead
    from .recorded import read_prompt

    if not words or ID.fullmatch(words):
        _, records = sessions_of(koi).find(words)
        return read_prompt(records)
    return asyncio.run(ahead(koi, Task(words)))


def sessions_of(koi: Koi) -> "Sessions":
    """Where the log is; raises KoiError where that is switched off."""
    from .recorded import Sessions

    for entry in koi.plugins("contexts"):
        thing = asyncio.run(koi.load("contexts", entry.name))
        if isinstance(thing, Sessions):
            return thing
    raise KoiError("The log cannot be found: take out enabled = false below [contexts.log] in the configuration.")
