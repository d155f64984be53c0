"""Which settings nothing reads: the kernel's keys, and what a constructor can be told where its table is there."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Paths, SharedSetting
from openkoi_loader.plugin_discovery import Found
from openkoi_loader.plugins import Plugins
from openkoi_loader.unknown_settings import find_unknown_settings
from openkoi_settings import Config, Setting

HERE = __name__
FOUND = (
    Found("providers", "acme", f"{HERE}:Acme", "openkoi-acme"),
    Found("providers", "borg", "no_such_module:Borg", "openkoi-borg"),
    Found("evaluators", "strict", f"{HERE}:Strict", "openkoi-strict"),
    Found("hooks", "rules", HERE, "openkoi-rules"),
    Found("commands", "paint", "no_such_module:paint", "openkoi-paint"),
    Found("memory", "lazy", "unread_lazy:lazy", "openkoi-lazy"),
)


@dataclass
class Acme:
    """A provider with a table below its own."""

    limits: int = 0
    headers: object = None


@dataclass
class Strict:
    """An evaluator that goes by a common setting."""

    votes: int = 1
    harshness: Annotated[float, SharedSetting("pedantry.harshness")] = 0.5


def find_unknown(*keys: str, **environment: str) -> list[str]:
    settings = {key: Setting(1, "there.toml") for key in keys}
    config = Config(settings, Paths(Path("c"), Path("d")), Path(), environment=environment)
    return find_unknown_settings(config, Plugins(config, Redactor(), FOUND, {"tools": {"mine": object()}}))


@pytest.mark.row("CFG-03")
@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("models.defalt", "models.default"),
        ("iteration.max_iteration", "iteration.max_iterations"),
        ("safety.max_cost", "safety.max_cost_usd"),
        ("providers.acme.limit", "providers.acme.limits"),
        ("pedantry.harsness", "pedantry.harshness"),
        ("hooks.ordr", "hooks.order"),
        ("quality", "iteration.quality_threshold"),
        ("iteration.timeout", "iteration.timeout_seconds"),
        ("iteration.qualty", "iteration.quality_threshold"),
        ("iteration.tokens", "iteration.token_budget"),
    ],
)
def test_a_slip_of_the_keyboard_is_named(key: str, meant: str) -> None:
    assert [f"{key} in there.toml is not a setting, so it has no effect. Did you mean {meant}?"] == find_unknown(key)


@pytest.mark.row("CFG-03")
@pytest.mark.parametrize(
    "key",
    [
        *("models.default", "models.fallback.executor", "models.known.a/b.price", "plugins.prefer.x"),
        *("safety.tool_loop.circuit_breaker", "pedantry.harshness", "evaluation.votes", "evaluators.strict.harshness"),
        *("providers.acme.limits", "providers.acme.enabled", "providers.acme.headers.nested", "providers.borg.any"),
        *("hooks.rules.enabled", "commands.paint.enabled", "tools.mine.anything"),
    ],
)
def test_what_is_read_or_cannot_be_known_is_not_named(key: str) -> None:
    assert [] == find_unknown(key)


@pytest.mark.row("CFG-03")
def test_a_plugin_is_imported_only_for_what_its_constructor_has_to_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unread_lazy.py").write_text("def lazy(size=1): ...")
    monkeypatch.syspath_prepend(tmp_path)

    assert [] == find_unknown("memory.lazy.enabled", "models.default", "memory.compaction")
    assert "unread_lazy" not in sys.modules
    assert [] == find_unknown("memory.lazy.size")
    assert "unread_lazy" in sys.modules


@pytest.mark.row("CFG-02")
def test_only_variables_that_look_like_one_of_ours_are_named() -> None:
    named = "$OPENKOI_MODLE is not read, so it has no effect. Did you mean $OPENKOI_MODEL?"

    assert [named] == find_unknown(
        OPENKOI_MODLE="x", OPENKOI_MODEL="y", OPENKOI_REPORT="z", OPENKOI_TEAM="a", MODLE="b"
    )


@pytest.mark.parametrize(
    ("variable", "suggestion"),
    [
        ("OPENKOI_MODELS_EXECUTOR", "Did you mean $OPENKOI_EXECUTOR?"),
        ("OPENKOI_SAFETY_MAX_COST_USD", "Did you mean $OPENKOI_BUDGET?"),
        ("OPENKOI_HOOKS_DEADLINE_SECONDS", "Set hooks.deadline_seconds in the config file."),
    ],
)
def test_a_variable_that_is_named_after_a_setting_is_named(variable: str, suggestion: str) -> None:
    assert [f"${variable} is not read, so it has no effect. {suggestion}"] == find_unknown(**{variable: "1"})


@pytest.mark.parametrize(
    ("keys", "table", "distribution"),
    [
        (("mcp.servers.time.command", "mcp.defer_above"), "mcp", "openkoi-mcp"),
        (("plugins.scripts",), "plugins.scripts", "openkoi-scripts"),
    ],
)
def test_a_table_of_a_distribution_that_is_not_installed_says_which(
    keys: tuple[str, ...], table: str, distribution: str
) -> None:
    assert [f"[{table}] in there.toml has no effect: {distribution} is not installed."] == find_unknown(*keys)
