"""Settings that nothing reads, most of them slips of the keyboard. Knows the kernel's keys and plugins' signatures.

Unknown tables are somebody else's business and left alone; in a table that is known, every key should be.
"""

import inspect
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from openkoi.config import DAY, DEPRECATED, FLAGS, LIMITS
from openkoi.registry import Found, resolve

if TYPE_CHECKING:
    from openkoi.config import Config

KERNEL = {
    *FLAGS.values(),
    *(key for key, _ in LIMITS.values()),
    *DAY,
    *DEPRECATED,
    *DEPRECATED.values(),
    *("models.embedder", "models.small", "models.unknown_price", "iteration.skip_eval_confidence"),
    "safety.sandbox_minimum",
    *("safety.abort_on_regression", "evaluation.order", "evaluation.require", "evaluation.require_certified"),
    *(f"safety.tool_loop.{name}" for name in ("warning", "critical", "circuit_breaker")),
    *("hooks.order", "hooks.deadline_seconds", "use.memory", "use.sandbox", "use.checkpoints"),
    "use.compactor",
}
TABLES = {"models", "iteration", "safety", "evaluation", "use"}
OPEN = ("models.known.", "models.fallback.", "plugins.")


def unused(config: "Config", found: Sequence[Found]) -> Iterator[str]:
    """A sentence for each setting that nothing reads."""
    read = {(one.kind, one.name): one for one in found}
    for key, setting in config.settings.items():
        table, _, rest = key.partition(".")
        name, _, word = rest.partition(".")
        plugin = read.get((table, name))
        known = KERNEL if table in TABLES or key in KERNEL else parameters(plugin) if plugin else None
        if known is None or key in known or word.partition(".")[0] in known or key.startswith(OPEN):
            continue
        near = get_close_matches(key if known is KERNEL else word, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        yield f"{key} in {setting.origin} is read by nobody.{hint}"


def parameters(plugin: Found) -> set[str] | None:
    """What a plugin's constructor can be told; None when that cannot be known."""
    try:
        target = resolve(plugin.target)
        return {*inspect.signature(target).parameters, "enabled"} if callable(target) else {"enabled"}
    except (Exception, SystemExit):  # a plugin's import may raise anything; it is named elsewhere
        return None
