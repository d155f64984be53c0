"""Every setting of a common table, declared once. Settings that only one plugin reads are in its constructor."""

import math
from dataclasses import replace
from typing import Any

from openkoi_hookspecs import Limits

from . import plugin_keys
from .key import ANY, FormerName, Key, ProjectRule, SettingReader

DEFAULTS = Limits()
ROLES = ("executor", "evaluator", "planner", "small")
SANDBOX_LEVELS = ("none", "limited", "confined", "isolated")


def model_key(role: str, description: str, *, flag: str = "", example: str = "openai/gpt-5.2") -> Key[str]:
    """Declare the model of a role."""
    return Key(f"models.{role}", "", description, read_by=SettingReader.MODELS, flag=flag, example=example)


# Which model does what.

DEFAULT_MODEL = model_key("default", "the model of every role for which no model is set", flag="model")
EXECUTOR = model_key(
    "executor", "the model that does the work; if no default is set, other roles use it too", flag="executor"
)
EVALUATOR = model_key("evaluator", "the model that judges the work", flag="evaluator")
PLANNER = model_key("planner", "the model that plans the steps; if unset, the task itself is the plan", flag="planner")
SMALL = model_key("small", "the model that reflects on finished tasks", example="openai/gpt-5-mini")
EMBEDDER = Key(
    "models.embedder",
    "",
    'also search memory and choose learned entries by meaning, with "lexical", "minilm" or a model',
    read_by=SettingReader.MEMORY,
    also_read_by=(SettingReader.HOOKS,),
    example="openai/text-embedding-3-small",
)
UNKNOWN_PRICE = Key(
    "models.unknown_price",
    [15.0, 75.0],
    "assumed price of a model whose price is unknown: dollars per million input and output tokens",
    read_by=SettingReader.MODELS,
)
FALLBACKS: dict[str, Key[tuple[str, ...]]] = {
    role: Key(
        f"models.fallback.{role}",
        (),
        "models to try, in this order, if the role's model does not answer",
        read_by=SettingReader.MODELS,
        example=["ollama/llama3.3"],
    )
    for role in ROLES
}
MODEL_CONTEXT = Key(
    "models.known.*.context",
    128_000,
    "context window of a model in tokens; overrides what its provider reports",
    read_by=SettingReader.MODELS,
    low=1,
    example=200_000,
    example_names=("openai/my-model",),
)
MODEL_OUTPUT = Key(
    "models.known.*.output",
    8_192,
    "maximum output tokens of a model",
    read_by=SettingReader.MODELS,
    low=1,
    example=16_384,
    example_names=("openai/my-model",),
)
MODEL_PRICE: Key[list[float]] = Key(
    "models.known.*.price",
    [],
    "price in dollars per million tokens: input, output, cache read, cache write",
    read_by=SettingReader.MODELS,
    example=[0.0, 0.0],
    example_names=("openai/my-model",),
)

# How often, for how long, and how well.

MAX_ITERATIONS = Key(
    "iteration.max_iterations",
    DEFAULTS.iterations,
    "maximum iterations of a task (0: run once without evaluation)",
    project=ProjectRule.LOWER,
    low=0,
    flag="iterate",
    limit="iterations",
    former=(FormerName("safety.max_iterations"),),
)
MAX_CYCLES = Key(
    "iteration.max_cycles",
    DEFAULTS.cycles,
    "maximum model calls in one iteration",
    project=ProjectRule.LOWER,
    low=0,
    limit="cycles",
)
QUALITY_THRESHOLD = Key(
    "iteration.quality_threshold",
    DEFAULTS.quality_threshold,
    "minimum score to accept",
    project=ProjectRule.RAISE,
    low=0,
    high=1,
    flag="quality",
    limit="quality_threshold",
)
IMPROVEMENT_THRESHOLD = Key(
    "iteration.improvement_threshold",
    DEFAULTS.min_improvement,
    "stop when the best score rises by less than this",
    project=ProjectRule.ALLOWED,
    low=0,
    high=1,
    limit="min_improvement",
)
TIMEOUT_SECONDS = Key(
    "iteration.timeout_seconds",
    DEFAULTS.seconds,
    "time limit of a task",
    project=ProjectRule.LOWER,
    low=0,
    limit="seconds",
    former=(FormerName("iteration.timeout"), FormerName("safety.max_duration")),
)
TOKEN_BUDGET = Key(
    "iteration.token_budget",
    DEFAULTS.tokens,
    "maximum tokens of a task; recalled memory may use up to a tenth of them",
    project=ProjectRule.LOWER,
    low=0,
    limit="tokens",
    former=(FormerName("safety.max_tokens"),),
)
SKIP_EVAL_CONFIDENCE = Key(
    "iteration.skip_eval_confidence",
    0.95,
    "minimum score at which a small change that passes the checks is not judged again",
    read_by=SettingReader.EVALUATORS,
    project=ProjectRule.RAISE,
    low=0.9,
)

# What a task may cost and do.

MAX_COST_USD = Key(
    "safety.max_cost_usd",
    DEFAULTS.usd,
    "maximum cost of a task, in US dollars",
    project=ProjectRule.LOWER,
    low=0,
    flag="budget",
    limit="usd",
)
MAX_CALLS = Key(
    "safety.max_calls", DEFAULTS.calls, "maximum model calls of a task", project=ProjectRule.LOWER, low=0, limit="calls"
)
ABORT_ON_REGRESSION = Key("safety.abort_on_regression", True, "if false, continue when a score drops")
REGRESSION_THRESHOLD = Key(
    "safety.regression_threshold",
    DEFAULTS.max_regression or 0.0,
    "how far a score may drop below the best one",
    low=0,
    high=1,
    limit="max_regression",
)
SANDBOX_MINIMUM = Key(
    "safety.sandbox_minimum",
    SANDBOX_LEVELS[0],
    f"required isolation: {', '.join(SANDBOX_LEVELS)}; you are asked if this machine offers less",
    choices=SANDBOX_LEVELS,
)
REQUIRE_CHECKPOINT = Key(
    "safety.require_checkpoint", True, "if false, files that undo cannot restore are changed without asking you"
)
MAX_COST_PER_DAY = Key(
    "safety.max_cost_usd_per_day",
    math.inf,
    "maximum cost of all tasks in a day, in US dollars",
    read_by=SettingReader.BUDGETS,
    low=0,
    example=10.0,
)
MAX_TOKENS_PER_DAY = Key(
    "safety.max_tokens_per_day",
    math.inf,
    "maximum tokens of all tasks in a day",
    read_by=SettingReader.BUDGETS,
    low=0,
    example=5_000_000,
)
LOOP_WARNING = Key(
    "safety.tool_loop.warning",
    10,
    "rounds of tool calls without progress before a warning",
    low=1,
    former=(FormerName("safety.tool_loop.warning_threshold"),),
)
LOOP_CRITICAL = Key(
    "safety.tool_loop.critical",
    20,
    "rounds of tool calls without progress before you are asked",
    low=1,
    former=(FormerName("safety.tool_loop.critical_threshold"),),
)
LOOP_BREAKER = Key(
    "safety.tool_loop.circuit_breaker",
    30,
    "rounds of tool calls without progress before the task ends",
    low=1,
    former=(FormerName("safety.tool_loop.circuit_breaker_threshold"),),
)
WAIT_SECONDS = Key(
    "approvals.wait_seconds", 0.0, "seconds that a run without a terminal waits for `openkoi approve`", low=0
)
ALLOWED_SECRETS: Key[tuple[str, ...]] = Key(
    "redact.allow", (), "kinds of secrets not to redact; the warning about a secret names its kind"
)

# What is kept and learned.

COMPACTION = Key("memory.compaction", True, "shorten a conversation that exceeds the model's context window")
LEARNING_DECAY_RATE = Key(
    "memory.learning_decay_rate",
    0.05,
    "share of confidence that a lesson loses for each week in which it did not help",
    read_by=SettingReader.HOOKS,
)
MAX_STORAGE_MB = Key(
    "memory.max_storage_mb",
    500.0,
    "size of the run log above which its oldest sessions are archived (0: no limit)",
    read_by=SettingReader.COMMANDS,
    low=0,
)
REGRESSION_DELTA = Key(
    "learning.regression_delta",
    0.1,
    "warn about advice after which the score fell by more than this",
    read_by=SettingReader.HOOKS,
)
PLATEAU_DELTA = Key(
    "learning.plateau_delta",
    0.02,
    "suggest finishing in one iteration if the last iteration gained less than this",
    read_by=SettingReader.HOOKS,
)
HIDE_BELOW = Key(
    "learning.hide_below",
    0.1,
    "hide lessons with less confidence than this",
    read_by=SettingReader.HOOKS,
    former=(FormerName("learning.prune_below"),),
)
CHECK_UPDATES = Key(
    "updates.check", True, "announce newer releases, at most once a day", read_by=SettingReader.COMMANDS
)


def declared_in(module: dict[str, Any]) -> list[Key[Any]]:
    """Return the settings that a module declares, alone or by role."""
    values = [one for value in module.values() for one in (value.values() if isinstance(value, dict) else (value,))]
    return [one for one in values if isinstance(one, Key)]


KEYS: tuple[Key[Any], ...] = (*declared_in(globals()), *declared_in(vars(plugin_keys)))
MODEL_OF = {"executor": EXECUTOR, "evaluator": EVALUATOR, "planner": PLANNER, "small": SMALL}
FLAGS = {key.flag: key for key in KEYS if key.flag}
LIMITS = {key.limit: key for key in KEYS if key.limit}
SELECTORS = {key.selects: key for key in KEYS if key.selects}
BY_NAME = {key.name: key for key in KEYS}
PATTERNS = tuple(key for key in KEYS if ANY in key.name)


def find_key(name: str) -> Key[Any] | None:
    """Return the declaration of a dotted name, if it has one."""
    if name in BY_NAME:
        return BY_NAME[name]
    return next((replace(key, name=name) for key in PATTERNS if key.covers(name)), None)
