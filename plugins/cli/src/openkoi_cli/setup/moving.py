"""Ask at a terminal that can move its cursor: arrow keys, and stars in the place of what is secret."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.formatted_text import fragment_list_to_text
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts.choice_input import ChoiceInput

from .addresses import mask_input

KEYS = "Arrows or a number, then Enter. Esc, q or Ctrl-C leaves."
LEAVING = ("escape", "q", "c-d")


class Moving:
    """A Terminal."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let a person choose with the arrow keys or by number."""
        question = f" {message}\n {KEYS}\n"
        with on_stderr():
            choice = ChoiceInput(message=question, options=list(enumerate(lines)), key_bindings=leaving())
            return await choice.prompt_async()

    async def secret(self, message: str) -> str:
        """Ask for a line of which only the length is shown."""
        with on_stderr():
            return await PromptSession[str]().prompt_async(f"\n  {message}", is_password=True)

    async def address(self, message: str) -> str:
        """Ask for a line of which only the address is shown."""
        with on_stderr():
            return await PromptSession[str](input_processors=[Masked()]).prompt_async(f"\n  {message}")


class Masked(Processor):
    """Show stars for everything that is not part of an address."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Mask one line; every character keeps its place."""
        return Transformation([("", mask_input(fragment_list_to_text(transformation_input.fragments)))])


def leaving() -> KeyBindings:
    """The keys that leave as an interruption does."""
    keys = KeyBindings()

    def leave(event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    for key in LEAVING:
        keys.add(key, eager=True)(leave)
    return keys


@contextmanager
def on_stderr() -> Iterator[None]:
    """Draw on stderr: stdout is for results."""
    with create_app_session(output=create_output(stdout=sys.stderr)):
        yield
