"""Settings are changed, and models listed, from the command line."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def config(openkoi: Shell) -> str:
    file = openkoi.home / "config.toml"
    return file.read_text() if file.exists() else ""


def test_a_setting_is_set_shown_and_removed_and_the_rest_of_the_file_stays(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("# mine\n[safety]\nmax_calls = 7 # few\n")
    changed = openkoi("config", "set", "iteration.max_iterations", "5")
    openkoi("config", "set", "models.default", "ollama/llama3.3")
    result, removed = openkoi("config", "get", "models.default"), openkoi("config", "unset", "models.default")

    assert f"iteration.max_iterations = 5  # {openkoi.home / 'config.toml'}\n" == changed.stdout
    assert '"ollama/llama3.3"' in result.stdout
    assert (0, 1) == (removed.returncode, openkoi("config", "unset", "models.default").returncode)
    assert "# mine\n[safety]\nmax_calls = 7 # few\n\n[iteration]\nmax_iterations = 5\n" in config(openkoi)
    assert "llama" not in config(openkoi)


def test_a_setting_under_a_former_name_is_removed_by_that_name(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text("[safety]\nmax_iterations = 7\nmax_calls = 7\n")
    other = openkoi("config", "unset", "iteration.max_iterations")
    removed = openkoi("config", "unset", "safety.max_iterations")

    assert (1, 0) == (other.returncode, removed.returncode)
    assert f"Removed safety.max_iterations from {openkoi.home / 'config.toml'}.\n" == removed.stdout
    assert "[safety]\nmax_calls = 7\n" == config(openkoi)


@pytest.mark.parametrize(
    ("key", "value", "hint"),
    [
        ("iteration.max_iterationz", "5", "Did you mean iteration.max_iterations?"),
        ("iteration.qualty", "1", "Did you mean iteration.quality_threshold?"),
        ("model_x", "1", "Error: model_x is not a setting, so it has no effect."),
        ("model_x.y", "1", "Error: [model_x] is not a table of settings, so it has no effect."),
        ("iteration.max_iterations", "five", "Error: iteration.max_iterations is 'five'; "),
        ("safety.sandbox_minimum", "bogus", "Error: safety.sandbox_minimum is 'bogus'"),
        ("evaluators.nosuch.enabled", "true", "no evaluator named nosuch"),
        ("safety.max_cost_usd", "-1", "safety.max_cost_usd"),
    ],
)
def test_a_setting_without_effect_is_refused_and_nothing_is_written(
    openkoi: Shell, key: str, value: str, hint: str
) -> None:
    result = openkoi("config", "set", "--", key, value)

    assert 2 == result.returncode
    assert hint in result.stderr
    assert "--set" not in result.stderr
    assert "" == config(openkoi)


def test_what_overrides_a_setting_is_reported(openkoi: Shell) -> None:
    result = openkoi.with_environment(OPENKOI_MODEL="groq/x")("config", "set", "models.default", "ollama/llama3.3")

    assert "models.default is also set in $OPENKOI_MODEL" in result.stderr


def test_the_file_is_checked_after_it_was_edited(openkoi: Shell, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\necho "$LINE" >> "$1"\n')
    editor.chmod(0o755)
    editing = openkoi.with_environment(EDITOR=str(editor), VISUAL="")
    good = editing.with_environment(LINE="models.default = 'ollama/llama3.3'")("config", "edit")
    odd = editing.with_environment(LINE="nonsense = 1")("config", "edit")
    bad = editing.with_environment(LINE="[broken")("config", "edit")

    assert (0, "") == (good.returncode, good.stderr)
    assert "nonsense" in odd.stderr
    assert (2, True) == (bad.returncode, "Invalid TOML" in bad.stderr)


def test_models_lists_roles_providers_and_what_a_provider_offers(openkoi: Shell) -> None:
    with OpenAIServer("Hello", models=("gpt-fake", "gpt-other")) as server:
        ready = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake"
        )
        roles, offered = ready("models"), ready("models", "openai", "--format", "json")

    assert "executor   openai/gpt-fake" in roles.stdout
    assert "$ANTHROPIC_API_KEY" in roles.stdout
    assert {"openai/gpt-fake", "openai/gpt-other"} == set(json.loads(offered.stdout)["models"])


def test_models_without_any_says_how_to_get_one(openkoi: Shell) -> None:
    result, unknown = openkoi("models"), openkoi("models", "nosuch")

    assert 0 == result.returncode
    assert "No model is configured" in result.stdout
    assert 2 == unknown.returncode
    assert "nosuch" in unknown.stderr
