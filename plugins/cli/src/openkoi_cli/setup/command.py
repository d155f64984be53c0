"""``openkoi init``: pick a model, and give what it takes. Knows the questions; knows no vendor."""

import click

from openkoi_hookspecs import Koi, NoProviderError

from .discovery import LocalMachine, discover
from .ollama import NAME as OLLAMA
from .options import CUSTOM, PickerOption, lines, options, without_a_person
from .terminal import SetupTerminal, columns, somebody_there, terminal

NOTHING_FOUND = "No API keys found. Pick a provider to get started:"
SOMETHING_FOUND = "Pick a provider:"
MARGINS = 10


@click.command("init")
@click.pass_obj
async def init(koi: Koi, /) -> None:
    """Pick a model to work with, and save its key.

    Asks which provider to use and for what that takes: a key, or the address of a server. It is tried, saved in a file
    that only you can read, and used from now on, as models.default. Run it again to replace a key that has expired, or
    to use another provider. Leaving with Ctrl-C saves nothing.
    """
    if not somebody_there():
        raise NoProviderError(without_a_person(koi.providers()))
    try:
        with terminal() as person:
            await set_up(koi, person)
    except (KeyboardInterrupt, EOFError):
        raise click.Abort from None


async def set_up(koi: Koi, person: SetupTerminal) -> None:
    """Ask what to use, and let that be used from now on."""
    choices = options(koi)
    if not choices:
        raise NoProviderError(
            "No provider is installed that could be set up. Install one: pip install openkoi-anthropic"
        )
    koi.saved_keys()  # raises what is wrong with the store before anything is asked
    usable = [way for way in await discover(koi, LocalMachine(), unsaid) if not way.consent]
    message = SOMETHING_FOUND if usable else NOTHING_FOUND
    chosen = await person.pick(message, lines(choices, columns() - MARGINS))
    await follow(koi, person, choices[chosen])


def unsaid(_: str) -> None:
    """What could not be looked at is said when it is picked."""


async def follow(koi: Koi, person: SetupTerminal, choice: PickerOption) -> None:
    """Ask for what a choice takes."""
    if choice.offer.provider == OLLAMA:
        from .local import use_ollama

        await use_ollama(koi)
    elif choice.offer.provider == CUSTOM:
        from .server import use_server

        await use_server(koi, person)
    else:
        from .key import use_key

        await use_key(koi, person, choice.offer)
