"""Test servers that answer garbage, hang, truncate the stream or refuse: a clear message, and nothing is lost."""

import json
from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

KEY = "sk-a-key-that-must-never-be-seen"


def ask_server(tmp_path: Path, server: OpenAIServer, *line: str, **variables: str) -> tuple[int, str, str]:
    """Ask a server something from the command line."""
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    shell = Shell(folder, home, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url, **variables})
    result = shell(*(line or ("-m", "openai/gpt-fake", "What is it?")))
    output = result.stdout + result.stderr + "".join(path.read_text() for path in home.rglob("*.jsonl"))
    assert "Traceback" not in result.stderr
    assert KEY not in output
    return result.returncode, result.stdout, result.stderr


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(ServerFault(body=b"Bad gateway"), id="garbage"),
        pytest.param(ServerFault(cut=40), id="cut"),
        pytest.param(ServerFault(cut=40, after=AfterResponse.HANGS), id="hangs-in-mid-stream"),
        pytest.param(ServerFault(cut=0, after=AfterResponse.DRIPS), id="only-keep-alives"),
        pytest.param(ServerFault(status=529, body=b'{"error": {"message": "overloaded"}}'), id="overloaded"),
    ],
)
def test_a_server_that_fails_for_good_ends_with_75_and_says_what_happened(fault: ServerFault, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text("[providers.openai]\nidle_seconds = 0.5\n")
    with OpenAIServer(Say("Paris.", fault=fault)) as server:
        status, out, errors = ask_server(tmp_path, server)

    assert (75, "") == (status, out)
    assert "No model answered" in errors
    assert "Retrying in" in errors


def test_a_server_that_fails_once_is_asked_again(tmp_path: Path) -> None:
    with OpenAIServer(Say("Par", fault=ServerFault(cut=40)), "Paris.") as server:
        status, out, errors = ask_server(tmp_path, server)

    assert (0, "Paris.\n") == (status, out)
    assert "Retrying in" in errors


def test_a_wait_of_more_than_a_minute_is_not_waited_for(tmp_path: Path) -> None:
    with OpenAIServer(
        Say("Paris.", fault=ServerFault(status=429, headers={"retry-after": "3600"}, body=b"{}"))
    ) as server:
        status, _, errors = ask_server(tmp_path, server)

    assert 75 == status
    assert "Retrying in" not in errors


def test_an_unknown_model_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    missing = b'{"error": {"message": "The model gpt-fake-2 does not exist", "code": "model_not_found"}}'
    with OpenAIServer(Say(fault=ServerFault(status=404, body=missing)), models=("gpt-fake",)) as server:
        status, _, errors = ask_server(tmp_path, server, "-m", "openai/gpt-fak", "What is it?")

    assert 1 == status
    assert "Did you mean gpt-fake?" in errors


def test_a_wrong_key_is_said_without_the_key(tmp_path: Path) -> None:
    with OpenAIServer("Paris.", key="sk-another-one") as server:
        status, _, errors = ask_server(tmp_path, server)

    assert 1 == status
    assert "401" in errors


def test_a_server_of_one_s_own_needs_one_variable(tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as server:
        status, out, _ = ask_server(tmp_path, server, OPENAI_API_KEY="")

    assert (0, "Paris.\n") == (status, out)


@pytest.mark.row("SAFE-11", "PROV-12")
def test_an_unknown_price_is_loud_and_not_free(tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as server:
        _, out, _ = ask_server(tmp_path, server, "-m", "openai/gpt-fake", "--format", "json", "What is it?")

    result = json.loads(out)
    assert result["cost_usd"] > 0
    assert any("price of openai/gpt-fake is unknown" in text for text in result["warnings"])
