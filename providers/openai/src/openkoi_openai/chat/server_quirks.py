"""Describe the quirks of servers of Chat Completions: how they differ from OpenAI's."""

from typing import Literal

from openkoi_hookspecs.lazy_dataclass import dataclass

SchemaFormat = Literal["json_schema", "json_object"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQuirks:
    """What a server's API requires; the defaults apply to most servers.

    ``limit_key`` is the name of the response limit. ``stream_options`` requests the usage. A server whose
    ``schema_format`` is ``json_object`` gets the schema in the prompt; without ``streams_schemas``, such responses
    are not streamed. ``reasoning_keys`` are the keys of reasoning, of which the first present one counts;
    ``sent_reasoning_key`` is the key under which the reasoning before a tool call must be sent back.
    ``reasoning_temperature``: reasoning models accept a temperature.
    """

    limit_key: str = "max_tokens"
    stream_options: bool = True
    schema_format: SchemaFormat = "json_schema"
    streams_schemas: bool = True
    reasoning_keys: tuple[str, ...] = ("reasoning_content", "reasoning")
    sent_reasoning_key: str = ""
    reasoning_temperature: bool = True
