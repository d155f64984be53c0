"""Test that a certification states its estimated cost in advance, and its actual cost afterwards."""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import Usage
from openkoi_testing.servers import OpenAIServer, Say

SCORES = dict.fromkeys(("correctness", "safety", "completeness", "style", "coverage", "other_task"), 0.9)
JUDGED = json.dumps({"scores": SCORES, "findings": [], "suggestion": ""})
DEAR, CHEAP = "openai/gpt-5.2", "openai/gpt-5-nano"
CERTIFY = ("evaluator", "certify", "code-review", "--votes", "1")
PRICE = re.compile(r"about \$(\d+\.\d+)")


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer(Say(JUDGED, usage=Usage(input=2_000, output=300))) as one:
        yield one


@pytest.fixture
def openkoi(tmp_path: Path, server: OpenAIServer) -> Shell:
    return shell(tmp_path).with_environment(
        OPENAI_API_KEY="sk-of-somebody", OPENAI_BASE_URL=server.url, OPENKOI_MODEL=DEAR
    )


@pytest.mark.row("C55", "SAFE-04")
def test_without_a_terminal_it_has_to_be_said_that_the_price_is_all_right(openkoi: Shell, server: OpenAIServer) -> None:
    refused = openkoi(*CERTIFY)

    assert (2, [], "") == (refused.returncode, list(server.asked), refused.stdout)
    assert f"calls to {DEAR}, about $" in refused.stderr
    ahead = refused.stderr.rpartition("To approve it, run `openkoi ")[2].partition("`")[0]
    result = openkoi(*shlex.split(ahead))
    assert 3 == result.returncode, result.stderr
    assert "not passed" in result.stdout


@pytest.mark.row("C55")
def test_progress_and_the_cost_are_shown_and_the_estimate_is_of_the_bill_s_size(
    openkoi: Shell, server: OpenAIServer
) -> None:
    result = openkoi(*CERTIFY, "--yes")
    calls, tokens, usd = re.findall(r"\[done\] (\d+) calls, (\S+) tokens, \$(\d+\.\d+)", result.stderr)[0]
    estimated = float(PRICE.findall(result.stderr)[0])
    counts = [int(count) for count in re.findall(r"\[certify\] (\d+) of \d+ judgments", result.stderr)]

    assert len(server.asked) == int(calls)
    assert f"{int(calls) * 2.3:.0f}k" == tokens
    assert float(usd) / 3 < estimated < float(usd) * 3
    assert len(counts) >= 5
    assert sorted(counts) == counts


@pytest.mark.row("C55")
def test_what_costs_less_than_five_cents_is_done_at_once(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi(*CERTIFY, "--model", CHEAP)

    assert 3 == result.returncode, result.stderr
    assert {CHEAP.partition("/")[2]} == {body["model"] for body in server.asked}


@pytest.mark.row("C55")
def test_the_budget_binds_still(openkoi: Shell, server: OpenAIServer) -> None:
    result = openkoi(*CERTIFY, "--budget", "0.05", "--yes")

    assert 1 == result.returncode
    assert "That exceeds --budget $0.05" in result.stderr
    assert "Raise --budget" in result.stderr
    assert float(re.findall(r"\[done\].*\$(\d+\.\d+)", result.stderr)[0]) <= 0.05


if sys.platform != "win32":
    from pseudo_terminal import ENTER, terminal

    @pytest.mark.row("C55")
    @pytest.mark.parametrize(("answer", "status"), [("y", 3), ("n", 2), ("", 2)])
    def test_at_a_terminal_it_is_asked_first(openkoi: Shell, server: OpenAIServer, answer: str, status: int) -> None:
        with terminal(openkoi, *CERTIFY) as tty:
            tty.shows("Continue? [y/N]")
            before = len(server.asked)
            tty.type(answer + ENTER)

            assert status == tty.ends(), tty.screen
        assert (0, status == 3) == (before, bool(server.asked))
