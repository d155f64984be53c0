"""``openkoi doctor`` asks each provider for something that needs its key, and says what it did not check."""

from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import AnthropicServer, OpenAIServer

BROKEN = """
import time

time.sleep(4)  # longer than a provider may take to answer


class Broken:
    async def models(self):
        raise RuntimeError("the list is empty")

    async def chat(self, request):
        yield None
"""


def doctor(user: Shell) -> tuple[int, str]:
    """Return the status and the lines, in words."""
    done = user("doctor")
    return done.returncode, "\n".join(" ".join(line.split()) for line in done.stdout.splitlines())


def test_a_rejected_key_is_an_issue_of_the_provider_in_use(tmp_path: Path) -> None:
    with OpenAIServer("Paris.", key="sk-right") as server:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake")

        status, wrong = doctor(user.with_environment(OPENAI_API_KEY="sk-wrong"))
        right = doctor(user.with_environment(OPENAI_API_KEY="sk-right"))[1]

    assert 1 == status
    assert 2 == wrong.count("rejected the key (401)"), wrong
    assert "openai: ok, lists 1 model\n" in right
    assert "rejected the key" not in right


def test_a_rejected_key_of_an_unused_provider_is_shown_only(tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as used, AnthropicServer("Paris.", key="right") as unused:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=used.url, OPENKOI_MODEL="openai/gpt-fake")

        status, lines = doctor(user.with_environment(ANTHROPIC_BASE_URL=unused.url, ANTHROPIC_API_KEY="wrong"))

    assert 0 == status, lines
    assert 1 == lines.count("rejected the key (401)"), lines


def test_a_model_that_the_provider_does_not_list_is_named(tmp_path: Path) -> None:
    with OpenAIServer("Paris.", models=("gpt-5-2025-08-07",)) as server:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url)

        listed = doctor(user.with_environment(OPENKOI_MODEL="openai/gpt-5"))[1]
        missing = doctor(user.with_environment(OPENKOI_MODEL="openai/gpt-6"))[1]

    assert "Model: openai/gpt-5\n" in listed
    assert "Model: openai/gpt-6 (not in the list of openai; to see it, run `openkoi models openai`)" in missing


@pytest.mark.parametrize("path", ["/elsewhere", ""])
def test_a_server_without_a_list_is_not_called_ok(path: str, tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as server:
        url = server.url.removesuffix("/v1") + path
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=url, OPENKOI_MODEL="openai/gpt-fake")

        status, lines = doctor(user)

    assert 0 == status, lines
    assert "openai: not checked, because it does not list its models (404)" in lines


def test_a_provider_that_is_slow_to_import_and_fails_does_not_hold_up_the_check_of_others(tmp_path: Path) -> None:
    with OpenAIServer("Paris.") as server:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake")

        status, lines = doctor(user.with_plugin(BROKEN, providers="acme:Broken"))

    assert 0 == status, lines
    assert "openai: ok, lists 1 model\n" in lines
    assert "acme: acme failed to list its models: RuntimeError: the list is empty\n" in lines
