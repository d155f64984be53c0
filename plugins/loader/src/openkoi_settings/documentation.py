"""Describe all settings: as a table, and as a file that states every default."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from .deprecated import format_date
from .key import ANY, Key
from .keys import KEYS
from .value import KINDS
from .variables import OTHERS, variable_of

Values = Mapping[str, object]
HEADING = """\
# Settings

Generated from the declarations in `openkoi_settings` by `.ci/settings`. Where they are set, the last one wins: bundles,
your `~/.openkoi/config.toml`, a project's `.openkoi/config.toml` (as far as a project may set them), variables, flags.

| setting | type | default | read by | a project may | flag, variable | |
|---|---|---|---|---|---|---|
"""
VARIABLES = """
| other variable | |
|---|---|
"""
FORMER = """
| former name | now | works until |
|---|---|---|
"""
TEMPLATE = """\
# A configuration to start from: every line is a default, or an example behind a #.
# Copy it to ~/.openkoi/config.toml (or a project's .openkoi/config.toml, which may set less) and change what you like.
"""
COLUMN = 37


def settings_table(bundle: Values) -> str:
    """Return a table of all settings in Markdown; ``bundle`` outranks their defaults."""
    rows = [format_row(key, bundle) for key in KEYS]
    others = [f"| `{name}` | {text} |" for name, text in OTHERS.items()]
    former = [f"| `{one.name}` | `{key.name}` | {format_date(one.until)} |" for key in KEYS for one in key.former]
    return HEADING + "\n".join(rows) + "\n" + VARIABLES + "\n".join(others) + "\n" + FORMER + "\n".join(former) + "\n"


def format_row(key: Key[Any], bundle: Values) -> str:
    """Return one setting's line of the table."""
    value = is_stated(bundle.get(key.name, key.default))
    default = f"`{value}`" if value and ANY not in key.name else ""
    kind = f"{KINDS[key.kind]}, {key.bounds}" if math.isfinite(key.low) else KINDS[key.kind]
    flag = f"`--{key.flag.replace('_', '-')}`, `{variable_of(key.flag)}`" if key.flag else ""
    name = key.name.replace(ANY, "<name>")
    return f"| `{name}` | {kind} | {default} | {key.read_by} | {key.project.value} | {flag} | {key.help} |"


def is_stated(value: object) -> str:
    """Return a default as TOML; empty for one that sets nothing."""
    return "" if value in ("", (), [], math.inf) else format_toml(value)


def default_file(bundle: Values) -> str:
    """Return a configuration file in which every line is a default, or an example behind a ``#``."""
    tables: dict[str, list[str]] = {}
    for key in KEYS:
        is_example = key.example is not None and key.name not in bundle
        names = iter(key.example_names)
        *table, word = (toml_key(next(names) if part == ANY else part) for part in key.name.split("."))
        value = key.example if is_example else bundle.get(key.name, key.default)
        line = f"{'# ' if is_example else ''}{word} = {format_toml(value)}"
        tables.setdefault(".".join(table), []).append(f"{line:<{COLUMN}} # {key.help}" if key.help else line)
    return TEMPLATE + "".join(f"\n{table_text(name, lines)}\n" for name, lines in tables.items())


def table_text(name: str, lines: Sequence[str]) -> str:
    """Return a table with its lines; one that has only examples is an example itself."""
    commented = all(line.startswith("# ") for line in lines)
    return "\n".join([f"{'# ' if commented else ''}[{name}]", *lines])


def toml_key(word: str) -> str:
    """Return a word as a key in TOML."""
    return word if word.replace("-", "").replace("_", "").isalnum() else json.dumps(word)


def format_toml(value: object) -> str:
    """Return a value as TOML."""
    return json.dumps(list(value) if isinstance(value, tuple) else value, default=str)
