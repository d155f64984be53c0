"""Test that OpenKoi with a local model works without a network, and sends nothing to other machines.

Every address but the model's is refused to the process before it runs a line of OpenKoi; what it asked for is noted.
"""

from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OllamaServer

REFUSING = """
import os, sys

def refuse(event, told):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(told[1], tuple):
        asked = f"{told[1][0]}:{told[1][1]}"
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        asked = ":".join(str(one.decode() if isinstance(one, bytes) else one) for one in told[:2])
    else:
        return
    allowed = asked == os.environ["ONLY"]
    with open(os.environ["ASKED"], "a") as file:
        print("allowed" if allowed else "refused", asked, file=file)
    if not allowed:
        raise OSError(101, "Network is unreachable")

sys.addaudithook(refuse)
"""


def cut_off(openkoi: Shell, server: OllamaServer) -> Shell:
    """Return the same where this server alone can be reached."""
    site = openkoi.home.parent / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(REFUSING)
    address = server.url.removeprefix("http://")
    text = str(openkoi.home.parent / "asked")
    return openkoi.seeing(site).with_environment(OLLAMA_HOST=server.url, ONLY=address, ASKED=text)


@pytest.mark.row("MEM-17")
def test_a_task_is_done_remembered_and_found_with_a_local_model_and_no_network(tmp_path: Path) -> None:
    with OllamaServer("The blue gateway was chosen for all invoices of the company.") as server:
        openkoi = cut_off(shell(tmp_path), server).with_environment(OPENKOI_MODEL="ollama/llama-fake")

        result = openkoi.cold("Which gateway was chosen?")
        found = openkoi.cold("memory", "search", "gateway")

    assert 0 == result.returncode, result.stderr
    assert "The blue gateway" in result.stdout
    assert "The blue gateway" in found.stdout
    assert {f"allowed {openkoi.variables['ONLY']}"} == set((tmp_path / "asked").read_text().splitlines())
    assert {"asked", "folder", "home", "site"} == {path.name for path in tmp_path.iterdir()}
    assert [] == [*openkoi.folder.iterdir()]
