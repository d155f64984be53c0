"""Test that prompts stay cacheable: each request begins with the bytes of the one before."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from cli_process import Shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import AnthropicServer, Say

READS = 6
ENOUGH = 0.80
TEXT = "def total(items: list[int]) -> int:\n    return sum(items)\n\n\n"


def steady(body: bytes) -> bytes:
    """Return a request up to the end of its messages: what comes after may differ from call to call."""
    text = body.decode()
    start = text.index('"messages":[') + len('"messages":')
    _, end = json.JSONDecoder().raw_decode(text, start)
    return text[: end - 1].encode()


@pytest.mark.row("PROV-11")
def test_from_the_third_call_on_most_of_the_input_is_read_from_the_cache(tmp_path: Path) -> None:
    folder, home = tmp_path / "folder", tmp_path / "home"
    folder.mkdir()
    for number in range(READS):
        (folder / f"{number}.py").write_text(TEXT * (1 + number % 3))
    turns = [Say([ToolCall(f"toolu_{n}", "read_file", {"path": f"{n}.py"})]) for n in range(READS)]
    with AnthropicServer(*turns, "Six files.", models=["claude-sonnet-4-5"], count=True) as server:
        variables = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-ant-anything-at-all"}
        result = Shell(folder, home, variables)(
            *("-m", "claude-sonnet", "-i", "0", "--format", "jsonl", "What is in these files?")
        )
        bodies = [request.body for request in server.requests if request.path.endswith("/messages")]

    assert 0 == result.returncode, result.stderr
    answer = [json.loads(line) for line in result.stdout.splitlines()]
    usages = [one["data"]["reply"]["done"]["usage"] for one in answer if one.get("type") == "model.response"]
    shares = [usage.get("cache_read", 0) / sum(usage.get(key, 0) for key in KINDS) for usage in usages]
    assert READS + 1 == len(shares)
    assert min(shares[2:]) >= ENOUGH, shares
    assert all(after.startswith(steady(before)) for before, after in pairwise(bodies))


KINDS = ("input", "cache_read", "cache_write")
