"""The prompts of approved servers as skills: found like any other, and fetched from the server when they are used."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import replace_file
from openkoi_base.printable import visible
from openkoi_hookspecs import Koi, PluginEntry

from .definitions import Definition, Definitions, tool_name
from .server_config import ServerConfig
from .snapshots import Snapshots

MAX_DESCRIPTION = 1_000  # characters; the format of skills has 1,024
BODY = """\
---
name: {name}
description: {description}
---
Call `{tool}` with {{"name": {prompt}, "arguments": {{...}}}}, and follow the text that it returns.
{arguments}
"""


def skill_entries(found: Sequence[ServerConfig], koi: Koi) -> Iterator[PluginEntry]:
    """Yield an entry of skills for each approved server that has prompts."""
    snapshots = Snapshots(koi)
    for config in found:
        known = snapshots.find_approved(config)
        if known and known.prompts:
            digest = known.digest(config)
            load = partial(write_skills, config.name, known, koi.folder("mcp") / "skills" / digest[:16])
            yield PluginEntry("skills", f"mcp-{config.name}", config.origin, load, version=digest)


async def write_skills(server: str, known: Definitions, folder: Path) -> Path:
    """Write a skill for each prompt; return their folder."""
    await asyncio.to_thread(write_all, server, known, folder)
    return folder


def write_all(server: str, known: Definitions, folder: Path) -> None:
    for prompt in known.prompts:
        name = skill_name(server, str(prompt["name"]))
        replace_file(folder / name / "SKILL.md", skill_text(server, name, prompt))


def skill_text(server: str, name: str, prompt: Definition) -> str:
    """Return the text of a skill, which explains how to get the prompt."""
    description = " ".join(visible(str(prompt.get("description") or prompt.get("title") or prompt["name"])).split())
    arguments = [
        f"- `{visible(str(one['name']))}`{' (required)' if one.get('required') else ''}: "
        f"{visible(str(one.get('description', '')))}"
        for one in prompt.get("arguments", ())
    ]
    return BODY.format(
        name=name,
        description=json.dumps(description[:MAX_DESCRIPTION]),
        tool=tool_name(server, "get_prompt"),
        prompt=json.dumps(visible(str(prompt["name"]))),
        arguments="\n".join(["Arguments:", *arguments] if arguments else ["It has no arguments."]),
    )


def skill_name(server: str, prompt: str) -> str:
    """Return a name as skills have it: lower case, dashes, at most 64 characters."""
    name = "-".join("".join(c if c.isascii() and c.isalnum() else " " for c in f"{server} {prompt}").lower().split())
    return name if len(name) <= 64 else f"{name[:55]}-{sha256(name.encode()).hexdigest()[:8]}"
