"""Where servers of Chat Completions differ, as data. Knows no vendor by name."""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["json_schema", "json_object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a server wants to be spoken to; the defaults are those of most.

    ``limit_key`` is the name of the longest answer. Without ``stream_options`` the usage is not asked for. A server
    whose ``shape`` is ``json_object`` is told the schema in words; one that does not ``stream_shapes`` answers such
    requests whole. ``thoughts`` are the names under which it thinks aloud, the first one holds; ``thoughts_back`` is
    the name under which the thoughts before a tool call are wanted back. ``warm_thinkers``: its reasoning models take
    a temperature.
    """

    limit_key: str = "max_tokens"
    stream_options: bool = True
    shape: Shape = "json_schema"
    stream_shapes: bool = True
    thoughts: tuple[str, ...] = ("reasoning_content", "reasoning")
    thoughts_back: str = ""
    warm_thinkers: bool = True
