"""Define ``openkoi context``, which shows the prompt of a past or new task."""

import asyncio
from typing import TYPE_CHECKING

import click

from openkoi_hookspecs import Koi, KoiError, Task
from openkoi_hookspecs.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from .from_log import Sessions
    from .prompt_layers import Prompt

ID = lazy_pattern(r"[0-9a-f]{4,32}")


@click.command("context")
@click.argument("words", nargs=-1, metavar="[TASK_ID | TASK...]")
@click.option(
    "--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output format."
)
@click.pass_obj
def context(koi: Koi, /, words: tuple[str, ...], layout: str) -> None:
    """Show the model's prompt layer by layer: tokens per section, and the plugin that added it.

    With a task id, show that past task; with other words, preview a new task. Defaults to the last task. No model is
    called, and nothing is saved.
    """
    from openkoi_base.redact import current_redactor

    from .output import format_table, prompt_to_json

    prompt = find_prompt(koi, " ".join(words))
    text = prompt_to_json(prompt) if layout == "json" else format_table(prompt)
    click.echo(current_redactor()(text))


def find_prompt(koi: Koi, words: str) -> "Prompt":
    """Return the prompt of a past task, or of a new one."""
    from .from_log import read_prompt
    from .preview import preview_prompt

    if not words or ID.fullmatch(words):
        _, records = load_sessions(koi).find(words)
        return read_prompt(records)
    return asyncio.run(preview_prompt(koi, Task(words)))


def load_sessions(koi: Koi) -> "Sessions":
    """Return the location of the log; raise KoiError if it is disabled."""
    from .from_log import Sessions

    for entry in koi.plugins("contexts"):
        thing = asyncio.run(koi.load("contexts", entry.name))
        if isinstance(thing, Sessions):
            return thing
    raise KoiError("The log is disabled. Remove `enabled = false` from [contexts.log] in the config file.")
