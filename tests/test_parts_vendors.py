"""An image that the model reads with ``read_file`` reaches each vendor, and stays where it was in what is sent next."""

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cli_process import Shell, shell
from test_prompt_cache import steady

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import (
    AnthropicServer,
    BedrockServer,
    GoogleServer,
    OllamaServer,
    OpenAIServer,
    Say,
    ServerFault,
)
from openkoi_testing.servers.media import media_in
from openkoi_testing.servers.ollama_rules import OllamaModel
from openkoi_testing.servers.vendor_server import VendorServer

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8) + b"\0\0\3\xe8\0\0\2\xee" + bytes(100)
LOOKS = Say([ToolCall("toolu_1", "read_file", {"path": "pond.png"})])
READS = Say([ToolCall("toolu_2", "read_file", {"path": "notes.txt"})])
SEEN = "I see two koi."
QUESTION = "What is in pond.png and in notes.txt?"
AWS = {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-of-nobody", "AWS_REGION": "eu-west-1"}
MODELS = [
    (AnthropicServer, "anthropic/claude-sonnet-4-5", "ANTHROPIC_BASE_URL", {"ANTHROPIC_API_KEY": "sk-ant-of-nobody"}),
    (OpenAIServer, "openai/gpt-5.2", "OPENAI_BASE_URL", {"OPENAI_API_KEY": "sk-of-nobody"}),
    (GoogleServer, "google/gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL", {"GOOGLE_API_KEY": "AIza-of-nobody"}),
    (OllamaServer, "ollama/llama-fake", "OLLAMA_HOST", {}),
    (BedrockServer, "bedrock/us.anthropic.claude-sonnet-4-5", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", AWS),
]


def asked(
    server: VendorServer, tmp_path: Path, model: str, address: str, variables: Mapping[str, str]
) -> tuple[str, str, list[bytes]]:
    """The output, warnings and requests of a task about an image."""
    openkoi: Shell = shell(tmp_path)
    (openkoi.folder / "pond.png").write_bytes(PNG)
    (openkoi.folder / "notes.txt").write_text("Feed them at noon.\n")
    result = openkoi.with_environment(**variables, **{address: server.url})("-m", model, "-i", "0", QUESTION)
    bodies = [request.body for request in server.requests if request.method == "POST" and b"read_file" in request.body]
    return result.stdout, result.stderr, bodies


def media(body: bytes) -> list[tuple[str, bytes]]:
    value: Any = json.loads(body)
    return media_in(value)


@pytest.mark.parametrize(
    ("vendor", "model", "address", "variables"), MODELS, ids=lambda value: getattr(value, "__name__", "")
)
def test_each_vendor_is_shown_an_image_that_a_tool_read(
    vendor: Callable[..., VendorServer], model: str, address: str, variables: Mapping[str, str], tmp_path: Path
) -> None:
    with vendor(LOOKS, READS, SEEN, models=[model.partition("/")[2]]) as server:
        out, err, bodies = asked(server, tmp_path, model, address, variables)

    assert SEEN in out, err
    assert [[], [("image/png", PNG)], [("image/png", PNG)]] == [media(body) for body in bodies]


def test_what_comes_before_the_next_turn_is_sent_byte_by_byte_as_before(tmp_path: Path) -> None:
    server, model, address, variables = MODELS[0]
    with server(LOOKS, READS, SEEN, models=["claude-sonnet-4-5"]) as running:
        _, err, bodies = asked(running, tmp_path, model, address, variables)

    assert 3 == len(bodies), err
    assert all(after.startswith(steady(before)) for before, after in pairwise(bodies))


def test_a_model_that_sees_no_images_is_not_sent_any(tmp_path: Path) -> None:
    blind = OllamaModel("llama-fake", abilities=("completion", "tools"))
    with OllamaServer(LOOKS, SEEN, models=[blind]) as server:
        out, err, bodies = asked(server, tmp_path, "ollama/llama-fake", "OLLAMA_HOST", {})

    assert SEEN in out, err
    assert [[], []] == [media(body) for body in bodies]
    assert b"this model does not support images" in bodies[1]
    assert 1 == err.count("ollama/llama-fake does not support images, so a note was sent instead of the image.")


def test_an_image_that_a_vendor_refuses_is_left_out_and_the_task_goes_on(tmp_path: Path) -> None:
    refusal = Say(fault=ServerFault(status=400, body=b'{"error": {"message": "Could not process image"}}'))
    with AnthropicServer(LOOKS, refusal, SEEN, models=["claude-sonnet-4-5"]) as server:
        _, model, address, variables = MODELS[0]
        out, err, bodies = asked(server, tmp_path, model, address, variables)

    assert SEEN in out, err
    assert [0, 1, 0] == [len(media(body)) for body in bodies]
    assert "Retrying without the images and files in the request." in err
