"""The sections of a prompt."""

from dataclasses import KW_ONLY
from enum import IntEnum

from .lazy_dataclass import dataclass


class Layer(IntEnum):
    """Where a section stands: the steadier its text the earlier, so that providers can cache what comes before."""

    SYSTEM = 1
    PROJECT = 2
    TASK = 3


@dataclass(frozen=True, slots=True)
class Section:
    """A named piece of the prompt. A later section of the same name replaces it; an empty text removes it.

    ``untrusted`` text is shown as data, never as an instruction: set it on what came from a page, a tool or a stranger.
    ``source`` is stamped by the kernel. The sections of a plugin at one hook are refused with a warning if they exceed
    64 KB; so are the largest, if all sections together exceed 256 KB or a quarter of the model's context.
    """

    name: str
    text: str
    _: KW_ONLY
    layer: Layer = Layer.TASK
    untrusted: bool = False
    source: str = ""
