"""``openkoi init``: pick a model, and give what it takes. Knows the questions; knows no vendor."""

import click

from openkoi_hookspecs import Koi, NoProvider

from .discovery import Machine, discover
from .ollama import NAME as OLLAMA
from .options import CUSTOM, Option, options, without_a_person
from .terminal import Terminal, somebody_there, terminal

NOTHING_FOUND = "No API keys found. Pick a provider to get started:"
SOMETHING_FOUND = "Pick a provider:"


@click.command("init")
@click.pass_obj
async def init(koi: Koi, /) -> None:
    """Pick a model to work with, and save its key; again, to replace a key that has expired."""
    if not somebody_there():
        raise NoProvider(without_a_person(koi.offers()))
    try:
        with terminal() as person:
            await set_up(koi, person)
    except (KeyboardInterrupt, EOFError):
        raise click.Abort from None


async def set_up(koi: Koi, person: Terminal) -> None:
    """Ask what to use, and let that be used from now on."""
    choices = options(koi)
    if not choices:
        raise NoProvider("No provider is installed that could be set up. Install one: pip install openkoi-anthropic")
    usable = [way for way in await discover(koi, Machine()) if not way.consent]
    message = SOMETHING_FOUND if usable else NOTHING_FOUND
    chosen = await person.pick(message, [choice.line for choice in choices])
    await follow(koi, person, choices[chosen])


async def follow(koi: Koi, person: Terminal, choice: Option) -> None:
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
