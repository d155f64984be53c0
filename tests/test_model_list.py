"""A server is asked which models it offers beside the first call, which is charged at the price that it lists."""

import json
from pathlib import Path

from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse

LISTED = {"id": "mock", "context_length": 64_000, "pricing": {"prompt": "0.00001", "completion": "0.00002"}}
QUESTION = ("-i", "0", "-m", "openai/mock", "--format", "json")


class PricedServer(OpenAIServer):
    """A server whose list of models has prices."""

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request."""
        if seen.path == "/v1/models":
            return ServerResponse([json.dumps({"object": "list", "data": [LISTED]}).encode()])
        return super().answer(seen)


def paths(server: OpenAIServer) -> list[str]:
    return [request.path for request in server.requests]


def asking(tmp_path: Path, server: OpenAIServer) -> Shell:
    return shell(tmp_path).with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-not-a-real-key")


def test_the_first_call_is_charged_at_the_price_of_a_list_that_is_asked_for_after_it_began(tmp_path: Path) -> None:
    with PricedServer("Paris.") as server:
        result = asking(tmp_path, server)(*QUESTION, "What is the capital of France?")
        texts = paths(server)

    report = json.loads(result.stdout)
    assert ["/v1/chat/completions", "/v1/models"] == texts
    usage = report["usage"]
    assert round(((usage["total"] - usage["output"]) * 10 + usage["output"] * 20) / 1e6, 6) == report["cost_usd"]
    assert "price" not in " ".join(report["warnings"])


def test_a_budget_that_the_assumed_price_exceeds_waits_for_the_list(tmp_path: Path) -> None:
    with PricedServer("Paris.") as server:
        result = asking(tmp_path, server)(*QUESTION, "--budget", "0.10", "What is the capital of France?")
        texts = paths(server)

    assert 0 == result.returncode, result.stderr
    assert ["/v1/models", "/v1/chat/completions"] == texts


def test_a_price_that_no_list_has_is_reported_after_the_answer(tmp_path: Path) -> None:
    with OpenAIServer("Paris.", models=["mock"]) as server:
        result = asking(tmp_path, server)(*QUESTION, "What is the capital of France?")

    [warning] = json.loads(result.stdout)["warnings"]
    assert warning.startswith("The price of openai/mock is unknown; assuming $15 per million input tokens and $75")
