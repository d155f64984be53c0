"""``openkoi doctor`` names an app integration that blocks, and checks the others all the same."""

from pathlib import Path

from cli_process import shell

BLOCKING = """
import asyncio
import time


class App:
    def __init__(self, *, url: str) -> None:
        self.url = url

    async def watch(self):
        yield

    async def send(self, message):
        return message


class Blocking(App):
    async def health(self):
        await asyncio.sleep(0)
        time.sleep(3.1)  # longer than each may take to answer
        return {"": "ok"}


class Patient(App):
    async def health(self):
        await asyncio.sleep(0.1)
        return {"": "connected"}
"""


def test_an_integration_that_blocks_is_named_and_the_others_are_checked(tmp_path: Path) -> None:
    user = shell(tmp_path)
    user.home.mkdir()
    (user.home / "config.toml").write_text("[integrations.acme]\nurl = 'x'\n[integrations.other]\nurl = 'x'\n")
    site = tmp_path / "site" / "acme-1.0.dist-info"
    site.mkdir(parents=True)
    (site.parent / "acme_apps.py").write_text(BLOCKING)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (site / "entry_points.txt").write_text(
        "[openkoi.integrations]\nacme = acme_apps:Blocking\nother = acme_apps:Patient\n"
    )

    result = user.seeing(site.parent)("doctor")

    assert "Waiting for acme, which blocks all other checks." in result.stderr
    assert "acme blocked all other checks for more than 1 s. Its code must wait with `await`." in result.stdout
    assert "acme: ok" in " ".join(result.stdout.split()), result.stdout
    assert "other: connected" in " ".join(result.stdout.split()), result.stdout
    assert "other did not answer" not in result.stdout
