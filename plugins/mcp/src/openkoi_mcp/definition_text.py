"""Show the user what a server offers: a line for each tool and prompt, or everything that the approval covers."""

import json
from collections.abc import Iterator

from openkoi_base.printable import escaped_line, indent_lines, one_line

from .definitions import Definition, Definitions, describe_changes, visible_json
from .server_config import ServerConfig
from .snapshots import describe_given

MAX_SHOWN = 50  # lines of what a server offers: a screen; estimate
MAX_DESCRIPTION = 160  # characters of a description in one line: two lines of a terminal; estimate
MORE = "  ... and {0:,} more; to see all, run `openkoi mcp test --all {1}`"


def summarize(config: ServerConfig, found: Definitions, before: Definitions | None) -> list[str]:
    """Return a line for each tool and prompt, what changed since the last approval, and how many more there are."""
    changes = [f"  changed since you allowed it: {describe_changes(before, found)}"] if before else []
    lines = [*headings(config), *changes]
    lines += [f"  {kind} {one_line(str(one['name']))}: {shorten(one)}" for kind, one in list_all(found)]
    more = len(lines) - MAX_SHOWN
    return [*lines[:MAX_SHOWN], *([MORE.format(more, config.name)] if more > 0 else [])]


def show_all(config: ServerConfig, found: Definitions) -> list[str]:
    """Return everything that the approval of a server is bound to, without invisible characters."""
    lines = headings(config)
    for kind, one in list_all(found):
        lines.append(f"  {kind} {one_line(str(one['name']))}")
        lines += [f"    {key}: {show_value(value)}" for key, value in one.items() if key != "name"]
    return [*lines, *(["  resources: models may read all resources of this server"] if found.resources else [])]


def headings(config: ServerConfig) -> list[str]:
    """Return the command or URL, and the variables and headers for it."""
    given = [f"  {text}"] if (text := describe_given(config)) else []
    return [f"{config.name}: {escaped_line(config.command_line)} ({config.origin})", *given]


def list_all(found: Definitions) -> Iterator[tuple[str, Definition]]:
    """Yield each tool and prompt with its kind."""
    yield from (("tool", one) for one in found.tools)
    yield from (("prompt", one) for one in found.prompts)


def shorten(definition: Definition) -> str:
    """Return the beginning of a description in one line."""
    text = one_line(str(definition.get("description", "")))
    return text if len(text) <= MAX_DESCRIPTION else f"{text[:MAX_DESCRIPTION]}…"


def show_value(value: object) -> str:
    """Return a value of a definition; further lines of a text are indented to prevent spoofing."""
    if isinstance(value, str):
        return indent_lines(value).replace("\n", "\n    ")
    return json.dumps(visible_json(value), ensure_ascii=False)
