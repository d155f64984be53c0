"""Decide what a project's config file may set for the user who opens it.

A model, a provider or a hook runs code or spends money, so a project cannot choose one. It may only tighten limits. For
evaluators and tools, it may not set whether they are used, which program is run and which files are accessed; for
evaluators, also not how strictly they evaluate.
"""

from collections.abc import Iterator

from .config import Config
from .key import Key, ProjectRule
from .keys import BY_NAME, MAX_ITERATIONS
from .plugin_keys import PLUGIN_KEYS
from .value import Setting

OPEN_TABLES = frozenset({"evaluators", "iteration", "patterns", "tools"})
NOT_ALLOWED = "A project's configuration may not set {key!r}, so the value is ignored."
NOT_OF_PLUGINS = "{key!r} is ignored, because a project's configuration {rule}."
ONLY = "A project's configuration may only {rule} {key!r}, which is {bound}, so {value} is ignored."
UNJUDGED = "{key!r} = {value} is ignored, because a project's configuration may not turn off evaluation."


def apply_project_policy(layer: dict[str, Setting], below: Config) -> tuple[dict[str, Setting], list[str]]:
    """Return the settings of a project's ``layer`` that it may set, and a warning for each other setting."""
    refused = {name: text for name, one in layer.items() if (text := project_setting_error(name, one.value, below))}
    return {name: one for name, one in layer.items() if name not in refused}, list(refused.values())


def project_setting_error(name: str, value: object, below: Config) -> str:
    """Return why a project may not set this; empty if it may. ``below`` is the configuration without it."""
    table, _, rest = name.partition(".")
    if (key := BY_NAME.get(name)) and key.project in (ProjectRule.LOWER, ProjectRule.RAISE):
        return loosening_error(key, value, below[key])
    if table not in OPEN_TABLES or (key and key.project is ProjectRule.REFUSED):
        return NOT_ALLOWED.format(key=name)
    words = {*rest.split("."), *keys_within(value)}
    broken = [one.rule.value for one in PLUGIN_KEYS if table in one.kinds and one.name in words]
    return NOT_OF_PLUGINS.format(rule=broken[0], key=name) if broken else ""


def loosening_error(key: Key[float], value: object, bound: float) -> str:
    """Return why a project's limit would be looser; a value that is not a number is rejected when it is read."""
    if not isinstance(value, int | float):
        return ""
    if key.name == MAX_ITERATIONS.name and value < 1:
        return UNJUDGED.format(key=key.name, value=value)
    tighter = value >= bound if key.project is ProjectRule.RAISE else value <= bound
    if tighter:
        return ""
    return ONLY.format(rule=str(key.project.value).partition(" ")[0], key=key.name, bound=bound, value=value)


def keys_within(value: object) -> Iterator[str]:
    """Yield the keys of a table, and of all tables nested in a value."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_within(item)
