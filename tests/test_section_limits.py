"""Test that prompt sections of plugins are limited: one that is too long is rejected by name, and the run continues."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ADDS = """
from openkoi_hookspecs import Section, hookimpl

class Adds:
    @hookimpl
    def {hook}(self):
        return [Section(name, "x" * length) for name, length in {sections}]
"""
DONE = "  - says: Finished.\n    repeat: true\n"
MB = 1024 * 1024


def warnings_with(tmp_path: Path, hook: str, sections: list[tuple[str, int]], *line: str) -> tuple[int, list[str], str]:
    """Run a task where a plugin ``acme`` adds sections; return the status, the warnings, the log."""
    here = shell(tmp_path).with_plugin(ADDS.format(hook=hook, sections=sections), hooks="acme:Adds")
    return events_of(here, *line)


def events_of(here: Shell, *line: str) -> tuple[int, list[str], str]:
    process = here("-m", write_script(here.folder, DONE), "--format", "json", *line, "Write it down")
    assert "Traceback" not in process.stderr
    lines = [line for file in here.home.rglob("*.jsonl") for line in file.read_text().splitlines()]
    log = "\n".join(lines)
    result = json.loads(process.stdout)
    return process.returncode, [text for text in result["warnings"] if "Omitted" in text], log


@pytest.mark.parametrize("hook", ["before_plan", "before_execute", "before_evaluate"])
def test_fifty_megabytes_of_a_plugin_are_refused_by_its_name(hook: str, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    alone, _, _ = events_of(shell(tmp_path / "plain"))
    status, warnings, log = warnings_with(tmp_path, hook, [("big", 50 * MB), ("small", 4)])

    assert alone == status
    assert [
        f"Omitted the sections big, small (52,428,812 bytes) that acme added at {hook}: "
        "a plugin may add at most 65,536 bytes."
    ] == warnings
    assert len(log) < MB


@pytest.mark.parametrize("hook", ["before_plan", "before_execute", "before_evaluate"])
def test_sections_within_the_cap_are_admitted(hook: str, tmp_path: Path) -> None:
    _, warnings, log = warnings_with(tmp_path, hook, [("large", 60_000)])

    assert [] == warnings
    assert hook == "before_evaluate" or "x" * 60_000 in log


def test_a_plugin_cannot_put_into_a_finished_plan_what_was_refused_before(tmp_path: Path) -> None:
    code = """
from dataclasses import replace
from openkoi_hookspecs import Section, hookimpl

class Adds:
    @hookimpl
    def after_plan(self, plan):
        return replace(plan, sections=(*plan.sections, Section("big", "x" * 1_000_000, source="acme")))
"""
    _, warnings, log = events_of(shell(tmp_path).with_plugin(code, hooks="acme:Adds"))

    assert ["Omitted the section big (1,000,003 bytes) that acme added at after_plan:"] == [
        text[: text.index(":") + 1] for text in warnings
    ]
    assert len(log) < MB


def test_a_small_window_is_filled_by_a_quarter_at_most(tmp_path: Path) -> None:
    here = shell(tmp_path).with_plugin(ADDS.format(hook="before_plan", sections=[("half", 10_000)]), hooks="acme:Adds")
    here.home.mkdir()
    (here.home / "config.toml").write_text('[models.known."scripted/script.yaml"]\ncontext = 8_000\n')
    _, warnings, _ = events_of(here)

    assert any(
        "half (10,004 bytes) that acme added" in text and "at most 8,000 fit the model" in text for text in warnings
    )


def test_a_project_s_rules_that_are_too_long_are_named_by_their_file(tmp_path: Path) -> None:
    here = shell(tmp_path)
    here.home.mkdir()
    (here.home / "config.toml").write_text("[hooks.project-rules]\ntokens = 100_000\n")
    (here.folder / "AGENTS.md").write_text("Write short sentences.\n" * 5_000)
    _, warnings, _ = events_of(here)

    assert [
        "Omitted the section AGENTS.md (115,008 bytes) that project-rules added at before_plan: "
        "a plugin may add at most 65,536 bytes."
    ] == warnings


def test_a_project_s_rules_are_cut_to_their_own_limit_before_they_are_refused(tmp_path: Path) -> None:
    here = shell(tmp_path)
    (here.folder / "AGENTS.md").write_text("Write short sentences.\n" * 5_000)
    _, warnings, log = events_of(here)

    assert [] == warnings
    assert "AGENTS.md is cut off after 16,000 of 115,000 characters" in log
