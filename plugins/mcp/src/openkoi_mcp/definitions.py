"""The definitions of a server: its tools and prompts as it describes them, as plain JSON. Pure."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from openkoi_base.printable import visible
from openkoi_hookspecs.lazy_dataclass import dataclass

from .server_config import ServerConfig

Definition = Mapping[str, Any]
TOOL_KEYS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
PROMPT_KEYS = ("name", "title", "description", "arguments")
MAX_NAME = 64  # characters of a tool's name that all vendors take
MAX_NAMES = 12  # in one question or warning


@dataclass(frozen=True, slots=True)
class Definitions:
    """The tools and prompts of a server, and whether it has resources; all by name, as the server describes them."""

    tools: Sequence[Definition] = ()
    prompts: Sequence[Definition] = ()
    resources: bool = False

    def digest(self, config: ServerConfig) -> str:
        """Return what consent is bound to: the command line, and everything that models see."""
        seen = ["openkoi-mcp", config.identity, self.tools, self.prompts, self.resources]
        return sha256(json.dumps(seen, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()

    def to_json(self) -> dict[str, object]:
        """Return the definitions in the form in which they are saved."""
        return {"tools": [*self.tools], "prompts": [*self.prompts], "resources": self.resources}


def describe_tools(definitions: Definitions) -> str:
    """Return how many tools and prompts there are, with their names."""
    parts = [
        f"{count(len(listed), noun)} ({join_names(listed)})"
        for listed, noun in ((definitions.tools, "tool"), (definitions.prompts, "prompt"))
        if listed
    ]
    return " and ".join(parts) or "no tools"


def describe_changes(before: Definitions, after: Definitions) -> str:
    """Describe the changed, added and removed definitions by name."""
    changes: list[str] = []
    for noun, old, new in (("tool", before.tools, after.tools), ("prompt", before.prompts, after.prompts)):
        known, now = {one["name"]: one for one in old}, {one["name"]: one for one in new}
        changed = [one for name, one in now.items() if name in known and known[name] != one]
        added, removed = [now[name] for name in now.keys() - known], [known[name] for name in known.keys() - now]
        for word, listed in (("changed", changed), ("new", added), ("removed", removed)):
            changes += [f"{word} {noun}{'s' * (len(listed) > 1)}: {join_names(listed)}"] if listed else []
    return "; ".join(changes) or "a different command line"


def join_names(listed: Iterable[Definition]) -> str:
    names = sorted(visible(str(one["name"])) for one in listed)
    return ", ".join([*names[:MAX_NAMES], *(["..."] if len(names) > MAX_NAMES else [])])


def count(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def tool_name(server: str, tool: str) -> str:
    """Return ``server__tool`` in the characters and length that vendors accept."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", f"{server}__{tool}")
    short = sha256(json.dumps([server, tool]).encode()).hexdigest()[:8]
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 9]}_{short}"


def visible_json(value: Any) -> Any:
    """Return JSON with every text in it made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(key): visible_json(item) for key, item in value.items()}
    return [visible_json(item) for item in value] if isinstance(value, list) else value


def without_tags(text: str) -> str:
    """Return a result without the characters that smuggle text: the block of tags and of variation selectors."""
    return text if text.isascii() else "".join(char for char in text if not 0xE0000 <= ord(char) <= 0xE0FFF)
