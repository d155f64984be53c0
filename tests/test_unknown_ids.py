"""Test that an unknown name or id is a usage error in every command."""

from pathlib import Path

import pytest
from cli_process import shell


@pytest.mark.parametrize(
    "line",
    [
        *(f"{command} zzzz" for command in ("undo", "redo", "diff", "resume", "fork", "blame", "replay", "bisect")),
        *(f"learn {action} zzzz" for action in ("why", "pin", "forget", "restore", "approve", "view", "duel")),
        *("approve zzzz", "reject zzzz", "trust revoke zzzz", "skill show zzzz", "evaluator show zzzz", "models zzzz"),
        *("plugin info zzzz", "plugin enable zzzz", "plugin update zzzz", "mcp test zzzz", "connect zzzz"),
    ],
)
def test_an_unknown_id_exits_with_2_and_is_named(line: str, tmp_path: Path) -> None:
    result = shell(tmp_path)(*line.split())

    assert 2 == result.returncode, result.stderr
    assert "zzzz" in result.stderr
    assert "Usage:" not in result.stderr


def test_an_unknown_id_to_approve_may_be_meant_as_an_entry(tmp_path: Path) -> None:
    result = shell(tmp_path)("learn", "approve", "zzzz")

    assert result.stderr.startswith("Error: No entry or proposal named 'zzzz'. To list all entries, run ")


def test_a_word_that_is_another_command_s_name_is_suggested_as_that(tmp_path: Path) -> None:
    result = shell(tmp_path)("learn", "export")

    assert 2 == result.returncode
    assert "Did you mean `openkoi export`?" in result.stderr
