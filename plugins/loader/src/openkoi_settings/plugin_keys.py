"""The settings that choose plugins, and the keys of their own tables that a project's configuration may not set."""

from .key import Key, PluginKey, PluginRule, SettingReader

# Which evaluators, hooks and plugins take part.

EVALUATION_ORDER: Key[tuple[str, ...]] = Key(
    "evaluation.order", ("*",), 'order of evaluators; "*" stands for all that are not listed'
)
CHECKS_ONLY = Key(
    "evaluation.checks_only",
    False,
    "if true, accept when checks pass, without a judge; like --no-judge",
    flag="no_judge",
)
REQUIRED_EVALUATORS: Key[tuple[str, ...]] = Key(
    "evaluation.require", (), "evaluators that must report before a result is accepted"
)
HOOK_ORDER: Key[tuple[str, ...]] = Key("hooks.order", (), "names of hook plugins that run before the others")
HOOK_DEADLINE = Key("hooks.deadline_seconds", 30.0, "seconds that an asynchronous hook may take", low=0)
ENABLED = Key(
    "*.*.enabled", True, "if false, the plugin is disabled", example=False, example_names=("evaluators", "judge")
)
SUBPROCESS = Key(
    "*.*.subprocess",
    False,
    "if true, run the plugin in a separate process; not all kinds support this",
    example=True,
    example_names=("hooks", "acme-style"),
)
USE_MEMORY = Key("use.memory", "", "plugin that stores tasks and learnings", selects="memory")
USE_SANDBOX = Key(
    "use.sandbox", "", 'sandbox for commands ("ladder": the strongest one that works here)', selects="sandboxes"
)
USE_CHECKPOINTS = Key("use.checkpoints", "", "plugin that saves files for undo", selects="checkpoints")
USE_COMPACTOR = Key(
    "use.compactor",
    "",
    'plugin to shorten conversations, such as "periodic-summary" or "rolling-window"',
    selects="compactors",
)
USE_QUESTIONS = Key(
    "use.questions",
    "",
    'plugin that stores pending questions ("process": in this process only)',
    selects="questions",
)
USE_BUDGET = Key(
    "use.budget",
    "",
    'plugin that enforces the daily limits ("process": for this process only)',
    selects="budgets",
)
USE_FRONTEND = Key(
    "use.frontend",
    "cli",
    "frontend that `openkoi` without arguments starts; `openkoi NAME` starts any other",
    selects="frontends",
)
BUNDLE_ORDER: Key[tuple[str, ...]] = Key("bundles.order", (), "bundles whose settings take precedence, strongest first")
CATALOGUES: Key[tuple[str, ...]] = Key(
    "plugins.catalogues",
    (),
    "files or URLs of plugin catalogues, for `openkoi plugin search` and `install`",
    read_by=SettingReader.COMMANDS,
)
PREFER = Key(
    "plugins.prefer.*",
    "",
    "the distribution to use if several provide a plugin with this name",
    example="openkoi-tools",
    example_names=("tools.workspace",),
)

# What a project may not set in a plugin's own table. All else it may; its constructor declares the rest.


def executing_key(name: str) -> PluginKey:
    """Declare a key that determines what is used, run or contacted."""
    return PluginKey(name, PluginRule.EXECUTES, ("evaluators", "tools"))


def judging_key(name: str) -> PluginKey:
    """Declare a key that determines how strictly work is evaluated."""
    return PluginKey(name, PluginRule.JUDGES, ("evaluators",))


PLUGIN_KEYS = (
    executing_key("allow"),
    executing_key("command"),
    executing_key("commands"),
    executing_key("enabled"),
    executing_key("folder"),
    executing_key("outputs"),
    executing_key("path"),
    executing_key("subprocess"),
    executing_key("venv"),
    judging_key("band"),
    judging_key("certificates"),
    judging_key("max_diff"),
    judging_key("require_certified"),
    judging_key("seconds"),
    judging_key("skip_eval_confidence"),
    judging_key("small"),
    judging_key("total"),
    judging_key("votes"),
)
