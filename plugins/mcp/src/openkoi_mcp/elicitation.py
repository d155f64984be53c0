"""Elicitation: ask the user, field by field, for what a server requests during a call."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp_types import ElicitRequestParams, ElicitRequestURLParams, ElicitResult

from openkoi_base.printable import indent_lines, one_line
from openkoi_hookspecs import YES_OR_NO, Question, is_no, is_yes

Ask = Callable[[Question], Awaitable[str | None]]
Value = str | int | float | bool | list[str] | None
MAX_TEXT = 2_000  # characters of a question or a field: a screen (estimate)
MAX_CHOICES, MAX_CHOICE = 100, 100  # of a field, and characters of each; estimate: as many countries as one reads
MAX_TRIES = 3  # of the user, to answer with the right type


class DeclinedError(Exception):
    """The user refused, or gave no answer; the message is the action that the server reads."""


async def elicit(server: str, params: ElicitRequestParams, ask: Ask) -> ElicitResult:
    """Return the user's answers, or a refusal."""
    opening = f"The MCP server {server} asks: {indent_lines(params.message[:MAX_TEXT])}"
    try:
        if isinstance(params, ElicitRequestURLParams):
            url = one_line(params.url)
            if not url.startswith(("https://", "http://")):
                return ElicitResult(action="cancel")
            await confirm(f"{opening}\nOpen {url} in a browser. Done?", ask)
            return ElicitResult(action="accept")
        schema: Mapping[str, Any] = params.requested_schema
        return ElicitResult(action="accept", content=await fill_in(opening, schema, ask))
    except DeclinedError as declined:
        return ElicitResult(action="decline" if str(declined) == "decline" else "cancel")
    except (AttributeError, TypeError):  # of a form that is none
        return ElicitResult(action="cancel")


async def fill_in(opening: str, schema: Mapping[str, Any], ask: Ask) -> dict[str, Value]:
    """Return a value for each field of a form; a form without fields is a yes-or-no question."""
    fields, required = schema.get("properties") or {}, schema.get("required") or ()
    if not fields:
        await confirm(opening, ask)
    return {
        name: value
        for name, field in fields.items()
        if (value := await ask_field(opening, name, field, ask, optional=name not in required)) is not None
    }


async def confirm(text: str, ask: Ask) -> None:
    answer = await ask(Question(text, choices=YES_OR_NO))
    if not is_yes(answer):
        raise DeclinedError("cancel" if answer is None else "decline")


async def ask_field(opening: str, name: str, field: Mapping[str, Any], ask: Ask, *, optional: bool) -> Value:
    """Return the value of one field; ask again for one of the wrong type."""
    hint = one_line(f"{field.get('title') or name} {field.get('description', '')}"[:MAX_TEXT])
    choices = choices_of(field)
    extra = "" if choices else f" ({field.get('type', 'string')}{', or an empty answer' if optional else ''})"
    for _ in range(MAX_TRIES):
        answer = await ask(Question(f"{opening}\n{hint}{extra}", choices=choices))
        if answer is None:
            raise DeclinedError("cancel")
        if answer.strip() == "decline" or (is_no(answer) and answer.strip() not in choices):
            raise DeclinedError("decline")
        if not answer.strip() and optional:
            default: Value = field.get("default")
            return default
        try:
            return convert(answer.strip(), field)
        except ValueError:
            extra = f" ({answer.strip()!r} is not of the type {field.get('type')})"
    raise DeclinedError("cancel")


def choices_of(field: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the choices that a user sees, if the field lists any."""
    if field.get("type") == "boolean":
        return YES_OR_NO
    listed = listed_values(field)
    if len(listed) > MAX_CHOICES:
        raise DeclinedError("cancel")
    return tuple(one_line(str(one))[:MAX_CHOICE] for one in listed)


def convert(answer: str, field: Mapping[str, Any]) -> Value:
    """Return an answer in the type of its field; raise ValueError if it is not one."""
    kind = field.get("type")
    if kind == "boolean":
        return is_yes(answer) or answer.lower() == "true"
    if kind == "array":
        return [one.strip() for one in answer.split(",")]
    if kind in ("integer", "number"):
        return int(answer) if kind == "integer" else float(answer)
    choices = {shown.lower(): one for shown, one in zip(choices_of(field), listed_values(field), strict=True)}
    if choices and answer.lower() not in choices:
        raise ValueError(answer)
    return choices.get(answer.lower(), answer)


def listed_values(field: Mapping[str, Any]) -> list[str]:
    """Return the values that a server accepts, if the field lists any."""
    return [str(one) for one in field.get("enum") or [one.get("const") for one in field.get("oneOf", ())]]
