"""A setting that nothing reads is named, with the one that was probably meant."""

from pathlib import Path

import pytest

from openkoi.config import Config
from openkoi.paths import Paths
from openkoi.registry import Found
from openkoi_cli.unused import unused
from openkoi_files import Setting

WIRED = Found("providers", "acme", "openkoi_budget:Budget", "openkoi-acme")
BROKEN = Found("providers", "borg", "no_such_module:Borg", "openkoi-borg")


def said(*keys: str) -> list[str]:
    settings = {key: Setting(1, "there.toml") for key in keys}
    return list(unused(Config(settings, Paths(Path("c"), Path("d")), Path()), [WIRED, BROKEN]))


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("models.defalt", "models.default"),
        ("iteration.max_iteration", "iteration.max_iterations"),
        ("safety.max_cost", "safety.max_cost_usd"),
        ("providers.acme.limit", "limits"),
    ],
)
def test_a_slip_of_the_keyboard_is_named(key: str, meant: str) -> None:
    assert [f"{key} in there.toml is read by nobody. Did you mean {meant}?"] == said(key)


@pytest.mark.row("CFG-03")
@pytest.mark.parametrize(
    "key",
    [
        *(
            "models.default",
            "models.fallback.executor",
            "models.known.a/b.price",
            "models.embedder",
            "plugins.prefer.x",
        ),
        *(
            "iteration.timeout",
            "safety.tool_loop.circuit_breaker",
            "somebody.else",
            "patterns.enabled",
            "plugins.prefer.x",
        ),
        *("providers.acme.limits", "providers.acme.enabled", "providers.acme.limits.nested", "providers.borg.any"),
    ],
)
def test_what_is_read_or_somebody_else_s_is_not(key: str) -> None:
    assert [] == said(key)
