"""Keys in the tables of plugins that a project's configuration may not set, each declared once.

Whatever else stands in the tables of these kinds, a project may set. A plugin's constructor declares the rest of a key.
"""

from .key import PluginKey, PluginRule

PLANNED_TABLE = "patterns"  # nothing reads it yet, and it will be open to projects


def executing(name: str) -> PluginKey:
    """Declare a key that says what is used, run or reached."""
    return PluginKey(name, PluginRule.EXECUTES, ("evaluators", "tools"))


def judging(name: str) -> PluginKey:
    """Declare a key that says how strictly work is evaluated."""
    return PluginKey(name, PluginRule.JUDGES, ("evaluators",))


PLUGIN_KEYS = (
    executing("allow"),
    executing("command"),
    executing("commands"),
    executing("enabled"),
    executing("folder"),
    executing("outputs"),
    executing("path"),
    executing("venv"),
    judging("band"),
    judging("certificates"),
    judging("max_diff"),
    judging("require_certified"),
    judging("seconds"),
    judging("skip_eval_confidence"),
    judging("small"),
    judging("total"),
    judging("votes"),
)
