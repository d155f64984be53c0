"""Which instructions a model gets: by its family, else the common ones; each difference with its reason."""

from collections.abc import Mapping
from typing import Any

import pytest

from openkoi_hookspecs import Layer, Plan, Section
from openkoi_prompt import INSTRUCTIONS_SECTION, executor_instructions
from openkoi_prompt.build_prompt import build_system_prompt
from openkoi_prompt.instructions import family_of, read_table

FAMILIES = {
    "anthropic/claude-sonnet-4-5": "claude",
    "bedrock/us.anthropic.claude-opus-4-1-20250805-v1:0": "claude",
    "openrouter/anthropic/claude-haiku-4.5": "claude",
    "openai/gpt-5.2": "gpt",
    "openai/gpt-4.1-mini": "gpt",
    "openai/o4-mini": "gpt",
    "openrouter/openai/o3": "gpt",
    "openai/gpt-5.2-codex": "codex",
    "openai/codex-mini": "codex",
    "google/gemini-2.5-pro": "gemini",
    "google/gemini-1.5-flash-8b": "gemini",
    "ollama/qwen2.5-coder": "small",
    "ollama/llama3.3": "small",
    "groq/llama-3.1-8b-instant": "small",
    "together/Qwen/Qwen2.5-Coder-32B-Instruct": "small",
    "ollama/gpt-oss:120b-cloud": "",
    "ollama/deepseek-v3.1:671b-cloud": "",
    "groq/llama-3.3-70b-versatile": "",
    "deepseek/deepseek-chat": "",
    "xai/grok-4.7": "",
    "scripted/script.yaml": "",
    "": "",
}


@pytest.mark.parametrize(("model", "family"), FAMILIES.items())
def test_a_model_belongs_to_the_family_of_its_name(model: str, family: str) -> None:
    assert family == family_of(model).get("name", "")


def every_variant() -> list[Mapping[str, Any]]:
    table = read_table()
    return [*table["families"], *table["edits"].values()]


def test_every_variant_states_its_reason_and_where_that_is_published() -> None:
    for variant in every_variant():
        assert len(variant["reason"]) > 80, variant
        assert variant["sources"]
        assert all(source.startswith("https://") for source in variant["sources"])


def test_every_variant_changes_the_common_sections() -> None:
    common = read_table()["sections"]

    for variant in every_variant():
        assert variant["sections"]
        assert all(text != common.get(name) for name, text in variant["sections"].items()), variant


def test_models_that_return_whole_files_are_asked_for_them_whatever_their_family() -> None:
    plain, whole = (
        executor_instructions("openai/gpt-4o-mini", "replace").text,
        executor_instructions("openai/gpt-4o-mini", "whole").text,
    )

    assert whole.startswith(plain)
    assert "Write files of up to 300 lines as a whole" in whole
    assert "Write files of up to 300 lines as a whole" not in plain


def test_a_family_can_remove_a_section() -> None:
    assert "# Explore" in executor_instructions("openai/gpt-5.2").text
    assert "# Explore" not in executor_instructions("openai/gpt-5.2-codex").text


def test_a_plugin_replaces_the_instructions_by_their_name() -> None:
    mine = Section(INSTRUCTIONS_SECTION, "You write haiku.", layer=Layer.SYSTEM)

    assert ("You write haiku.",) == build_system_prompt(Plan(sections=(mine,)))


def test_a_plan_without_instructions_gets_the_common_ones() -> None:
    """So does a run that an older version began: its plan has none."""
    soul = Section("soul", "Be calm.", layer=Layer.SYSTEM)

    assert (f"{executor_instructions().text}\n\nBe calm.",) == build_system_prompt(Plan(sections=(soul,)))
