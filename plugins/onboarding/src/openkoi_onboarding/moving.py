"""Ask at a terminal that can move its cursor: arrow keys, and stars in the place of what is secret."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.formatted_text import fragment_list_to_text
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.output import create_output
from prompt_toolkit.shortcuts.choice_input import ChoiceInput


class Moving:
    """A Terminal."""

    async def pick(self, message: str, lines: Sequence[str]) -> int:
        """Let a person choose with the arrow keys."""
        with on_stderr():
            return await ChoiceInput(message=f" {message}\n", options=list(enumerate(lines))).prompt_async()

    async def secret(self, message: str) -> str:
        """Ask for a line of which only the length is shown."""
        with on_stderr():
            return await PromptSession[str]().prompt_async(f"\n  {message}", is_password=True)

    async def address(self, message: str) -> str:
        """Ask for a line of which only the first word is shown."""
        with on_stderr():
            return await PromptSession[str](input_processors=[Masked()]).prompt_async(f"\n  {message}")


class Masked(Processor):
    """Shows stars for all that stands behind the first word."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Mask one line; every character keeps its place."""
        return Transformation([("", masked(fragment_list_to_text(transformation_input.fragments)))])


def masked(text: str) -> str:
    """The text with stars behind its first word."""
    shown = len(text) - len(text.lstrip()) + len(text.strip().partition(" ")[0])
    return text[:shown] + "".join(" " if sign == " " else "*" for sign in text[shown:])


@contextmanager
def on_stderr() -> Iterator[None]:
    """Draw on stderr: stdout is for results."""
    with create_app_session(output=create_output(stdout=sys.stderr)):
        yield
