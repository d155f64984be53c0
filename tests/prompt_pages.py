"""Format prompts as pages that can be reviewed in a diff, without parts that vary from run to run."""

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

PAGES = Path(__file__).parent / "prompts"
UPDATE = "UPDATE_PROMPTS"
Body: TypeAlias = Mapping[str, Any]
VOLATILE = (
    (re.compile(r"(?m)^Platform: .*$"), "Platform: (the system)"),
    (re.compile(r"(?m)^Shell: .*$"), "Shell: (the shell)"),
    (re.compile(r"(?m)^Tests: \S+ -m pytest$"), "Tests: python -m pytest"),
    (re.compile(r"\b(BEGIN|END) (\w+) [0-9a-f]{12}\b"), r"\1 \2 (mark)"),
    (re.compile(r"<(/?)record-[0-9a-f]{12}>"), r"<\1record-(mark)>"),
)


def check(name: str, page: str) -> None:
    """Compare a page with its file; write the file instead if ``UPDATE_PROMPTS`` is set."""
    file = PAGES / f"{name}.md"
    if os.environ.get(UPDATE):
        PAGES.mkdir(exist_ok=True)
        file.write_text(page, encoding="utf-8")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    assert text == page, f"The prompt has changed. To accept it: {UPDATE}=1 pytest {Path(__file__).parent.name}"


def page(title: str, *parts: str) -> str:
    """Return a page with a title; trailing white space is left out, as editors do."""
    text = "\n\n".join([f"# {title}", *parts])
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def format_quoted(heading: str, text: str) -> str:
    """Return a text as it was sent, below a heading."""
    fence = "`" * max(3, *(len(found) + 1 for found in re.findall(r"`{3,}", text) or ["``"]))
    return f"## {heading}\n\n{fence}text\n{text}\n{fence}"


def without_variable_parts(text: str, folder: Path) -> str:
    """Return a text without what differs from run to run: folders, days and marks."""
    text = text.replace(str(folder), "/project").replace(date.today().isoformat(), "2026-11-21")
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    return text


def request(title: str, body: Body, folder: Path, *, since: int = 0) -> str:
    """Return a request to Anthropic: system and messages, from message ``since`` on; tools are a page of their own."""
    blocks = "\n\n".join(part["text"] for part in body["system"]) if not since else ""
    system = [format_quoted("System", blocks)] if blocks else []
    turns = [
        format_quoted(turn["role"].capitalize(), "\n\n".join(text_of_turn(turn))) for turn in body["messages"][since:]
    ]
    return page(title, *(without_variable_parts(part, folder) for part in (*system, *turns)))


def text_of_turn(turn: Body) -> Iterable[str]:
    """Return the parts of a turn as text."""
    for part in turn["content"]:
        match part["type"]:
            case "text":
                yield part["text"]
            case "tool_use":
                yield f"(calls {part['name']} {json.dumps(part['input'])})"
            case "tool_result":
                reply = part["content"]
                yield reply if isinstance(reply, str) else "\n".join(one["text"] for one in reply)


def tool(offered: Body) -> str:
    """Return a tool's definition as a model gets it."""
    schema = offered.get("input_schema") or offered["arguments"]
    needed = schema.get("required", ())
    lines = [
        f"- {name}{'' if name in needed else '?'}: {describe_parameter(one)}"
        for name, one in schema["properties"].items()
    ]
    return "\n".join([f"## {offered['name']}", "", offered["description"], "", *lines])


def describe_parameter(parameter: Body) -> str:
    """Return the type of a parameter, and what is said about it."""
    rest = {key: value for key, value in parameter.items() if key not in ("type", "description", "items")}
    facts = [parameter["type"], *([json.dumps(rest)] if rest else []), *filter(None, [parameter.get("description")])]
    return ", ".join(facts)


def system_of(body: Body) -> str:
    """Return the system prompt of a request to any vendor."""
    if "instructions" in body:
        return str(body["instructions"])
    if "systemInstruction" in body:
        return "\n\n".join(part["text"] for part in body["systemInstruction"]["parts"])
    if "system" in body:
        return "\n\n".join(part["text"] for part in body["system"])
    (first, *_) = body["messages"]
    return str(first["content"])


def of_model(bodies: Sequence[Body], model: str) -> list[Body]:
    """Return the requests to one model."""
    return [body for body in bodies if body["model"] == model]
