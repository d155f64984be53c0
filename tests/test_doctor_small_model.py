"""``openkoi doctor`` suggests a cheaper model for reflection and simple judgments, and says what it saves."""

from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer

KEY = {"OPENAI_API_KEY": "sk-test"}


def small_model(openkoi: Shell) -> str:
    """The part of the doctor's lines about the model of this role, in words."""
    lines = [line.partition(":") for line in openkoi("doctor").stdout.splitlines()]
    return " ".join(next(rest for part, _, rest in lines if part.strip() == "Small model").split())


@pytest.mark.row("PROV-13", "LEARN-09")
def test_doctor_suggests_a_cheaper_small_model_until_one_is_chosen(tmp_path: Path) -> None:
    offered = ("gpt-5", "gpt-5-chat-latest", "gpt-5-mini", "gpt-5-nano")
    with OpenAIServer("Paris.", models=offered) as server:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-5", **KEY)
        before = small_model(user)
        assert 0 == user("config", "set", "models.small", "openai/gpt-5-nano").returncode
        after = small_model(user)

    assert before.startswith("openai/gpt-5; openai/gpt-5-mini costs 80% less for reflection and simple judgments")
    assert before.endswith("To use it, run `openkoi config set models.small openai/gpt-5-mini`.")
    assert "openai/gpt-5-nano" == after


def test_doctor_suggests_nothing_where_no_cheaper_model_is_offered(tmp_path: Path) -> None:
    with OpenAIServer("Paris.", models=("gpt-5-mini", "gpt-5", "gpt-fake")) as server:
        user = shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-5-mini", **KEY)

        assert "openai/gpt-5-mini" == small_model(user)
