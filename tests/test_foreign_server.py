"""The main job over HTTP, against a server that nobody here wrote."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_testing.servers import ForeignServerMissingError, LLMock

TASK = "Write a function double(n) into double.py that returns twice its argument, with a test"
CODE = "def double(n: int) -> int:\n    return n + n\n"
WRONG = "def double(n: int) -> int:\n    return n\n"
TEST = "from double import double\n\n\ndef test_double() -> None:\n    assert double(4) == 8\n"
SCORES = {"correctness": 0.9, "safety": 0.9, "style": 0.9, "completeness": 0.9}
VERDICT = {
    "match": {"userMessage": "BEGIN"},
    "response": {"content": json.dumps({"scores": SCORES, "findings": [], "suggestion": ""})},
}


def turn(index: int, response: dict[str, object], says: str) -> dict[str, object]:
    return {"match": {"userMessage": says, "sequenceIndex": index}, "response": response}


def calls(*named: tuple[str, dict[str, str]]) -> dict[str, object]:
    return {"toolCalls": [{"name": name, "arguments": arguments} for name, arguments in named]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of the foreign server."""
    turns = (
        VERDICT,
        turn(
            0,
            calls(
                ("write_file", {"path": "double.py", "content": WRONG}),
                ("write_file", {"path": "test_double.py", "content": TEST}),
            ),
            "twice its argument",
        ),
        turn(1, {"content": "Written."}, "twice its argument"),
        turn(
            0, calls(("edit_file", {"path": "double.py", "search": "return n\n", "replace": "return n + n\n"})), "Fix 1"
        ),
        turn(1, {"content": "Mended."}, "Fix 1"),
    )
    try:
        server = LLMock(*turns).__enter__()
    except ForeignServerMissingError as missing:
        pytest.skip(f"THE FOREIGN SERVER IS MISSING: {missing}")
    yield server.url
    server.__exit__()


@pytest.mark.timeout(240)
@pytest.mark.row("PROV-05", "PROV-06")
def test_a_foreign_server_serves_the_main_job(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "pyproject.toml").write_text('[project]\nname = "numbers"\nversion = "1"\n\n[tool.pytest.ini_options]\n')
    openkoi = Shell(folder, tmp_path / "home", {"OPENAI_API_KEY": "sk-not-a-real-key", "OPENAI_BASE_URL": url})

    process = openkoi("-m", "openai/any", "--format", "json", TASK)

    result = json.loads(process.stdout)
    assert (0, True, "openkoi.result/1") == (process.returncode, result["accepted"], result["schema"]), process.stderr
    assert CODE == (folder / "double.py").read_text()
    assert ["double.py", "test_double.py"] == result["changed_files"]
    assert 2 == len(result["iterations"])
    assert result["iterations"][0]["score"] < result["iterations"][1]["score"]
    assert "testrunner" in result["evaluators"]
    assert "sk-not-a-real-key" not in process.stdout + process.stderr
    logs = "".join(path.read_text() for path in (tmp_path / "home").rglob("*.jsonl"))
    assert "sk-not-a-real-key" not in logs
