"""What a project may decide, key by key."""

from pathlib import Path

import pytest

from openkoi_hookspecs import Paths
from openkoi_settings import Config
from openkoi_settings.key import PluginRule
from openkoi_settings.plugin_keys import PLUGIN_KEYS
from openkoi_settings.project_policy import project_setting_error

PATHS = Paths(Path("config.toml"), Path("data"))
USER = Config({}, PATHS, Path())

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "key",
    [
        *("models.default", "models.known.x/y.price", "models.unknown_price", "providers.acme.base_url", "use.memory"),
        *("hooks.order", "plugins.prefer.tools.workspace", "mcp.servers", "sandboxes.plain.folder", "patterns"[:3]),
        *("safety.abort_on_regression", "safety.regression_threshold", ".models.default", "", "approvals.wait_seconds"),
    ],
)
def test_what_a_project_may_not_set_is_named(key: str) -> None:
    assert f"A project's configuration may not set {key!r}, so the value is ignored." == project_setting_error(
        key, "x", USER
    )


@pytest.mark.parametrize(
    "key",
    [
        *("evaluators.testrunner.command", "evaluators.lint.commands", "evaluators.lint.commands.python"),
        *(
            "evaluators.judge.enabled",
            "evaluators.judge.folder",
            "evaluators.lint.venv",
            "tools.acme.path",
            "tools.acme.deep.er.command.x",
        ),
    ],
)
def test_a_project_may_not_say_what_is_run_or_reached(key: str) -> None:
    assert "may not choose what is loaded, run or contacted" in project_setting_error(key, "x", USER)


@pytest.mark.parametrize("name", [key.name for key in PLUGIN_KEYS if key.rule is PluginRule.JUDGES])
def test_a_project_may_not_say_how_strictly_work_is_evaluated(name: str) -> None:
    assert "may not change how strictly work is evaluated" in project_setting_error(f"evaluators.judge.{name}", 1, USER)
    assert "may not change how strictly work is evaluated" in project_setting_error(
        "evaluators.acme", [{name: 1}], USER
    )


@pytest.mark.parametrize("value", [[{"command": "x"}], [[{"name": "a", "then": [{"path": "/"}]}]]])
def test_not_in_a_list_of_tables_either(value: object) -> None:
    assert "may not choose what is loaded, run or contacted" in project_setting_error("tools.acme.servers", value, USER)


@pytest.mark.parametrize(
    "key",
    [
        *("evaluators.judge.temperature", "tools.workspace.skip", "tools.workspace.seconds"),
        *("iteration.improvement_threshold", "iteration.of_tomorrow", "patterns.enabled"),
    ],
)
def test_what_harms_nobody_may_be_set(key: str) -> None:
    assert "" == project_setting_error(key, ["command"], USER)


@pytest.mark.parametrize(
    ("key", "value", "reply"),
    [
        ("safety.max_cost_usd", 1.9, ""),
        ("safety.max_cost_usd", 2, ""),
        ("safety.max_cost_usd", 2.1, "may only lower 'safety.max_cost_usd'"),
        ("safety.max_cost_usd", float("inf"), "may only lower"),
        ("safety.max_cost_usd", float("nan"), "may only lower"),
        ("iteration.quality_threshold", 0.9, ""),
        ("iteration.quality_threshold", 0.8, ""),
        ("iteration.quality_threshold", 0.7, "may only raise 'iteration.quality_threshold'"),
        ("iteration.quality_threshold", float("nan"), "may only raise"),
        ("iteration.quality_threshold", "high", ""),
    ],
)
def test_limits_only_become_tighter(key: str, value: object, reply: str) -> None:
    text = project_setting_error(key, value, USER)

    assert reply in text
    assert bool(reply) == bool(text)


def test_a_key_that_would_move_the_cursor_is_shown_as_what_it_is() -> None:
    assert "\x1b" not in project_setting_error("\x1b[2J.x", 1, USER)


def test_a_project_may_not_have_its_work_left_unjudged() -> None:
    assert "may not turn off evaluation" in project_setting_error("iteration.max_iterations", 0, USER)
    assert "may not set" in project_setting_error("evaluation.order", ["x"], USER)
