"""Test a chain of three vendors: one overloaded, one silent, one that answers. It is reported without secrets."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell

from openkoi_hookspecs import ToolCall, Usage
from openkoi_testing.servers import AnthropicServer, GoogleServer, OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

CHAIN = ["anthropic/claude-sonnet-4-5", "openai/gpt-5.2", "google/gemini-2.5-pro"]
KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-canary-AAAAAAAAAAAAAAAAAAAA",
    "OPENAI_API_KEY": "sk-proj-canary-BBBBBBBBBBBBBBBBBBBB",
    "GOOGLE_API_KEY": "AIzaCanaryCCCCCCCCCCCCCCCCCCCCCCCCCCCCC",
}
CONFIG = """
[models.fallback]
executor = {chain}

[providers.openai]
idle_seconds = 0.2
"""
OVERLOADED = json.dumps(
    {"type": "error", "error": {"type": "overloaded_error", "message": f"no {list(KEYS.values())}"}}
)
COUNTED = Usage(input=1_000, output=100)


@pytest.fixture
def openkoi(tmp_path: Path) -> Iterator[Shell]:
    """A command line whose three vendors are on this machine."""
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(chain=json.dumps(CHAIN)))
    (folder / "a.txt").write_text("42\n")
    names = [model.partition("/")[2] for model in CHAIN]
    busy = Say("Never.", fault=ServerFault(status=529, body=OVERLOADED.encode()))
    silent = Say("Never.", fault=ServerFault(cut=0, after=AfterResponse.HANGS))
    look = Say([ToolCall("c1", "read_file", {"path": "a.txt"})], usage=COUNTED)
    with ExitStack() as stack:
        overloaded = stack.enter_context(AnthropicServer(busy, models=names[:1]))
        hanging = stack.enter_context(OpenAIServer(silent, models=names[1:2]))
        answering = stack.enter_context(GoogleServer(look, Say("It says 42.", usage=COUNTED), models=names[2:]))
        variables = {
            "ANTHROPIC_BASE_URL": overloaded.url,
            "OPENAI_BASE_URL": hanging.url,
            "GOOGLE_GEMINI_BASE_URL": answering.url,
        }
        yield Shell(folder, home, {**KEYS, **variables})


def result_of(openkoi: Shell, *line: str) -> dict[str, Any]:
    result = openkoi("-i", "0", "--format", "json", *line, "Say what is in a.txt")
    assert 0 == result.returncode, result.stderr
    assert not any(key in result.stdout + result.stderr for key in KEYS.values())
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.row("PROV-09", "PROV-10", "CFG-02")
def test_the_third_answers_and_the_result_names_what_happened(openkoi: Shell) -> None:
    result = result_of(openkoi)

    assert ("It says 42.", {"executor": CHAIN[2]}) == (result["output"], result["models"])
    assert any("529" in text and f"to {CHAIN[1]}" in text for text in result["warnings"])
    assert any("sent no new content" in text and f"to {CHAIN[2]}" in text for text in result["warnings"])


def test_only_what_was_used_is_paid(openkoi: Shell) -> None:
    result = result_of(openkoi)

    assert (2_200, pytest.approx(2 * (1_000 * 1.25 + 100 * 10.0) / 1e6)) == (
        result["usage"]["total"],
        result["cost_usd"],
    )


@pytest.mark.row("SEC-02")
def test_no_secret_is_in_the_log_the_terminal_the_cassette_or_an_error(openkoi: Shell) -> None:
    """One server even sends all keys back in its error."""
    tape = openkoi.folder.parent / "tape.jsonl"
    result_of(openkoi, "--record", str(tape))
    openkoi("--verbose", "-m", CHAIN[0], "Say what is in a.txt", seconds=90)
    written = [path for path in openkoi.home.rglob("*") if path.is_file()]
    everything = b"".join(path.read_bytes() for path in [*written, tape])

    assert tape.stat().st_size > 0
    assert not any(key.encode() in everything for key in KEYS.values())


def test_a_recording_answers_in_the_place_of_all_of_them(openkoi: Shell) -> None:
    tape = openkoi.folder.parent / "tape.jsonl"
    recorded = result_of(openkoi, "--record", str(tape))
    baseline = dict.fromkeys(
        ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"), "http://127.0.0.1:1/v1"
    )
    baseline["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1"
    baseline["GOOGLE_GEMINI_BASE_URL"] = "http://127.0.0.1:1"
    replayed = result_of(openkoi.with_environment(**dict.fromkeys(KEYS, ""), **baseline), "--replay", str(tape))

    same = ("output", "usage", "cost_usd", "models", "changed_files")
    assert [recorded[key] for key in same] == [replayed[key] for key in same]


def test_recording_and_replaying_at_once_makes_no_sense(openkoi: Shell) -> None:
    result = openkoi("--record", "a", "--replay", "b", "do it")

    assert (2, True) == (result.returncode, "cannot be used together" in result.stderr)
