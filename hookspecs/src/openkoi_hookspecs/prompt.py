"""The sections of a prompt."""

from dataclasses import KW_ONLY
from enum import IntEnum

from .lazy_dataclass import dataclass


class Layer(IntEnum):
    """Where a section is placed: the more stable its text the earlier, so that providers can cache what precedes it."""

    SYSTEM = 1
    PROJECT = 2
    TASK = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A named part of the prompt.

    A later section of the same name replaces it; an empty text removes it. ``untrusted`` text is shown as data, never
    as an instruction: set it for content from a page, a tool or another user. The kernel sets ``source``. The sections
    of a plugin at one hook are rejected with a warning if they exceed 64 KB; so are the largest, if all sections
    together exceed 256 KB or a quarter of the model's context.
    """

    name: str
    text: str
    _: KW_ONLY
    layer: Layer = Layer.TASK
    untrusted: bool = False
    source: str = ""
