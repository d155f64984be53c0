"""What a project's configuration may decide for the person who opens it. Knows keys and values; reads no file.

A model, a provider or a hook runs code or spends money, so a project names none. Limits it may only make tighter. Of
evaluators and tools it may set all but whether they are used, which program is run and which files are reached; of
evaluators also not how strictly they look.
"""

from collections.abc import Iterator, Mapping

TABLES = frozenset({"evaluators", "iteration", "patterns", "tools"})
EXECUTING_KEYS = frozenset({"allow", "command", "commands", "enabled", "folder", "outputs", "path", "venv"})
STRICTNESS = frozenset(
    {
        "band",
        "certificates",
        "max_diff",
        "require_certified",
        "seconds",
        "skip_eval_confidence",
        "small",
        "total",
        "votes",
    }
)
CONFIDENCE, DEFAULT_CONFIDENCE = "iteration.skip_eval_confidence", 0.95  # the judge's own default
RAISED_ONLY = frozenset({"iteration.quality_threshold", CONFIDENCE})
JUDGED = "iteration.max_iterations"


def project_setting_error(key: str, value: object, limits: Mapping[str, float]) -> str:
    """Why a project may not set this; empty when it may. ``limits`` hold without it, by their keys."""
    if key in limits:
        return weakens_limit(key, value, limits[key])
    table, _, rest = key.partition(".")
    if table not in TABLES:
        return f"A project's configuration may not set {key!r}; ignored."
    said = {*rest.split("."), *names(value)}
    if table in ("evaluators", "tools") and EXECUTING_KEYS & said:
        return f"A project's configuration may not say what is used, run or reached, as {key!r} does; ignored."
    if table == "evaluators" and STRICTNESS & said:
        return f"A project's configuration may not say how strictly work is evaluated, as {key!r} does; ignored."
    return ""


def weakens_limit(key: str, value: object, holds: float) -> str:
    """What is said of a limit that would bind less; a value that is no number is refused where it is read."""
    if not isinstance(value, (int, float)):
        return ""
    if key in RAISED_ONLY:
        return "" if value >= holds else f"A project's configuration may only raise {key!r}; ignored."
    if key == JUDGED and value < 1:
        return f"A project's configuration may not leave work unjudged, as {key!r} = {value} does; ignored."
    return "" if value <= holds else f"A project's configuration may only lower {key!r}; ignored."


def names(value: object) -> Iterator[str]:
    """The keys of tables in a list."""
    if isinstance(value, dict):
        yield from value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from names(item)
