"""Define ``openkoi init``, which sets up a provider interactively (the setup wizard)."""

import sys

import click

from openkoi_base.terminal import can_prompt
from openkoi_hookspecs import Koi, NoProviderError

from .discovery import LocalMachine, discover
from .ollama import NAME as OLLAMA
from .options import CUSTOM, PickerOption, explain_no_terminal, format_options, list_options
from .terminal import SetupTerminal, open_terminal, terminal_columns

NOTHING_FOUND = "No API keys found. Pick a provider to get started:"
SOMETHING_FOUND = "Pick a provider:"
PICKER_MARGIN = 10  # columns for the pointer and the ends of a row (estimate)


@click.command("init")
@click.pass_obj
async def init(koi: Koi, /) -> None:
    """Choose a model to work with, and save its key.

    Asks for a provider, and for its key or server address. A working key is saved in a file that only you can read, and
    the model becomes models.default. Run it again to replace an expired key or to switch providers. Ctrl-C quits
    without saving.
    """
    if not can_prompt(sys.stderr):
        raise NoProviderError(explain_no_terminal(koi.providers()))
    try:
        with open_terminal() as prompt:
            await set_up(koi, prompt)
    except (KeyboardInterrupt, EOFError):
        raise click.Abort from None


async def set_up(koi: Koi, prompt: SetupTerminal) -> None:
    """Choose a provider, and set it up."""
    choices = list_options(koi)
    if not choices:
        raise NoProviderError("No provider is installed. Install one, for example: pip install openkoi-anthropic")
    koi.saved_keys()  # raises an error of the store before the first prompt
    usable = [way for way in await discover(koi, LocalMachine(), ignore_report) if not way.consent]
    message = SOMETHING_FOUND if usable else NOTHING_FOUND
    chosen = await prompt.pick(message, format_options(choices, terminal_columns() - PICKER_MARGIN))
    await set_up_choice(koi, prompt, choices[chosen])


def ignore_report(_: str) -> None:
    """Ignore errors of sources, which are reported when they are chosen."""


async def set_up_choice(koi: Koi, prompt: SetupTerminal, choice: PickerOption) -> None:
    """Set up the chosen provider."""
    if choice.offer.provider == OLLAMA:
        from .ollama_setup import use_ollama

        await use_ollama(koi)
    elif choice.offer.provider == CUSTOM:
        from .server import use_server

        await use_server(koi, prompt)
    else:
        from .key import use_key

        await use_key(koi, prompt, choice.offer)
