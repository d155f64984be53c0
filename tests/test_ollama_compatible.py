"""Servers that speak like Ollama without all of its requests work; a model that is not there is still named."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from cli_process import shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OllamaServer, ReceivedRequest, Say, ServerResponse

SHOW, VERSION = "/api/show", "/api/version"
ANSWERS = {
    "gin": ServerResponse([b"404 page not found"], status=404, type="text/plain"),
    "fastapi": ServerResponse([b'{"detail":"Not Found"}'], status=404),
    "express": ServerResponse(
        [b"<!DOCTYPE html><html><pre>Cannot POST /api/show</pre></html>"], status=404, type="text/html"
    ),
    "nothing": ServerResponse([b""], status=404, type="text/plain"),
    "error": ServerResponse([b'{"error":"not found"}'], status=404),
    "openai": ServerResponse(
        [b'{"error":{"message":"Unknown request URL","type":"invalid_request_error"}}'], status=404
    ),
    "405": ServerResponse([b'{"detail":"Method Not Allowed"}'], status=405),
    "501": ServerResponse([b"Not Implemented"], status=501, type="text/plain"),
    "400": ServerResponse([b'{"error":"bad request"}'], status=400),
    "403": ServerResponse([b"<html><h1>403 Forbidden</h1></html>"], status=403, type="text/html"),
    "500": ServerResponse([b'{"error":"not implemented"}'], status=500),
    "502": ServerResponse([b"<html>Bad Gateway</html>"], status=502, type="text/html"),
    "a page": ServerResponse([b"<!DOCTYPE html><html><body>A web interface</body></html>"], type="text/html"),
    "an empty body": ServerResponse([b""]),
    "text": ServerResponse([b"Ollama is running"], type="text/plain"),
    "null": ServerResponse([b"null"]),
    "a list": ServerResponse([b"[]"]),
    "odd fields": ServerResponse([b'{"model_info": [], "capabilities": "all", "version": 3, "details": null}']),
}
WRITES = Say([ToolCall("call_1", "write_file", {"path": "note.md", "content": "Koi swim.\n"})])


class Compatible(OllamaServer):
    """Does not know some of the requests."""

    def __init__(self, *answers: Say | str, missing: Sequence[str], served: ServerResponse) -> None:
        super().__init__(*answers)
        self.missing, self.served = missing, served

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer what is known."""
        return self.served if seen.path in self.missing else super().answer(seen)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("missing", [(SHOW,), (VERSION,), (SHOW, VERSION)], ids="-".join)
def test_a_task_is_done_without_them(name: str, missing: Sequence[str], tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    with Compatible(WRITES, "Written.", missing=missing, served=ANSWERS[name]) as server:
        there = openkoi.with_environment(OLLAMA_HOST=server.url)
        result = there("-m", "ollama/llama-fake", "-i", "0", "--format", "json", "Write a note")
        requests = [request for request in server.requests if request.path == SHOW]

    assert 0 == result.returncode, result.stderr
    assert ["note.md"] == json.loads(result.stdout)["changed_files"]
    assert 2 == len(server.asked)
    assert len(requests) <= 1


@pytest.mark.parametrize("name", ["gin", "501", "403", "a page", "an empty body"])
def test_doctor_and_the_search_for_models_do_without_them(name: str, tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    with Compatible("Paris.", missing=(SHOW, VERSION), served=ANSWERS[name]) as server:
        there = openkoi.with_environment(OLLAMA_HOST=server.url)
        doctor = there("doctor")
        result = there("What is it?")

    assert "unknown" in doctor.stdout
    assert (0, "Paris.\n") == (result.returncode, result.stdout), result.stderr


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    with OllamaServer("Paris.") as server:
        result = shell(tmp_path).with_environment(OLLAMA_HOST=server.url)("-m", "ollama/lama-fake", "What is it?")

    assert 1 == result.returncode
    assert "ollama pull lama-fake" in result.stderr
    assert not server.asked


@pytest.mark.parametrize("name", ["gin", "fastapi"])
def test_a_server_that_knows_nothing_of_it_says_so(name: str, tmp_path: Path) -> None:
    with Compatible(missing=(SHOW, VERSION, "/api/chat", "/api/tags"), served=ANSWERS[name]) as server:
        result = shell(tmp_path).with_environment(OLLAMA_HOST=server.url)("-m", "ollama/llama-fake", "What is it?")

    assert 1 == result.returncode
    assert "base URL" in result.stderr
