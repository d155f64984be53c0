"""Prompt at a terminal with cursor movement: arrow keys, and stars for secrets."""

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

KEYS = "Use the arrow keys or a number and press Enter. To quit, press Esc or q."
QUIT_KEYS = ("escape", "q", "c-d")


class CursorTerminal:
    """Prompts with cursor movement."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let the user choose with the arrow keys or by number."""
        question = f" {message}\n {KEYS}\n"
        with on_stderr():
            choice = ChoiceInput(message=question, options=list(enumerate(lines)), key_bindings=make_quit_keys())
            return await choice.prompt_async()

    async def secret(self, message: str) -> str:
        """Prompt for a line; show only its length."""
        with on_stderr():
            return await PromptSession[str]().prompt_async(f"\n  {message}", is_password=True)

    async def address(self, message: str) -> str:
        """Prompt for a line; show only the address in it."""
        with on_stderr():
            return await PromptSession[str](input_processors=[MaskedInput()]).prompt_async(f"\n  {message}")


class MaskedInput(Processor):
    """Shows stars for everything that is not part of an address."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Mask one line; every character keeps its place."""
        return Transformation([("", mask_input(fragment_list_to_text(transformation_input.fragments)))])


def make_quit_keys() -> KeyBindings:
    """Return key bindings that raise KeyboardInterrupt."""
    keys = KeyBindings()

    def leave(event: KeyPressEvent) -> None:
        event.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    for key in QUIT_KEYS:
        keys.add(key, eager=True)(leave)
    return keys


@contextmanager
def on_stderr() -> Iterator[None]:
    """Draw on stderr: stdout is for results."""
    with create_app_session(output=create_output(stdout=sys.stderr)):
        yield
