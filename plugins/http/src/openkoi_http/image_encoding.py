"""Encode images and files as vendors expect them: in base64, alone or as a data URL."""

from base64 import b64encode
from collections.abc import Iterable

from openkoi_hookspecs import File, Image, Part, Text, ToolResult


def base64_of(part: Image | File) -> str:
    """Return the bytes in base64."""
    return b64encode(part.data).decode()


def data_url(part: Image | File) -> str:
    """Return an address that contains the bytes."""
    return f"data:{part.media_type};base64,{base64_of(part)}"


def result_text(result: ToolResult) -> str:
    """Return all text of a tool's result."""
    return "\n".join(filter(None, (result.text, *(part.text for part in result.parts if isinstance(part, Text)))))


def result_media(result: ToolResult) -> tuple[Image | File, ...]:
    """Return the images and files of a tool's result."""
    return tuple(part for part in result.parts if isinstance(part, Image | File))


def media_after(results: Iterable[Part]) -> tuple[Text | Image | File, ...]:
    """Return the images and files of results as parts that follow them, each result's below a line that names its call.

    For formats in which a result can only be text.
    """
    return tuple(
        part
        for result in results
        if isinstance(result, ToolResult) and result_media(result)
        for part in (Text(f"From the result of the tool call {result.call}:"), *result_media(result))
    )
