"""``openkoi doctor`` checks every part, whatever another one does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer, ReceivedRequest, ServerResponse

APP = """
import time

{loading}


class Acme:
    name = "acme"

    async def health(self):
        {health}

    async def watch(self):
        return
        yield

    async def send(self, post):
        return ""
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    user = shell(tmp_path)
    user.home.mkdir()
    (user.home / "config.toml").write_text("[integrations.acme]\nenabled = true\n")
    return user


def bound_doctor(user: Shell) -> subprocess.CompletedProcess[str]:
    """Run it without root's right to ignore modes."""
    without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    line = [*without, *user.command("doctor")]
    return subprocess.run(
        line, cwd=user.folder, env=user.environment, capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="setpriv is a program of Linux")
@pytest.mark.parametrize("mode", [0o000, 0o400, 0o500])
def test_a_data_folder_without_permission_is_a_failed_check_and_the_others_follow(mode: int, openkoi: Shell) -> None:
    data = openkoi.home / "data"
    data.mkdir()
    (data / "some").write_text("text")
    data.chmod(mode)
    result = bound_doctor(openkoi)
    data.chmod(0o700)

    assert 1 == result.returncode
    assert f"! Cannot access {data}: Permission denied. Fix its permissions.\n" in result.stdout
    assert all(f"\n  {part}:" in result.stdout for part in ("Providers", "Memory", "Checkpoints", "Tools", "Plugins"))
    assert "Error:" not in result.stderr


def test_an_app_that_raises_anything_is_a_failed_check_with_its_name(openkoi: Shell) -> None:
    acme = openkoi.with_plugin(
        APP.format(loading="", health='raise OSError("the wheel came off")'), integrations="acme:Acme"
    )
    result = acme("doctor")

    assert 1 == result.returncode
    assert "    ! acme failed: OSError: the wheel came off\n" in result.stdout
    assert "\n  Plugins:" in result.stdout


def test_an_app_that_takes_long_to_load_does_not_make_the_others_late(openkoi: Shell) -> None:
    slow = openkoi.with_plugin(
        APP.format(loading="time.sleep(4)", health='return {"is": "fine"}'), integrations="acme:Acme"
    )
    result = slow("doctor")

    assert "did not answer" not in result.stdout
    assert "is fine" in result.stdout
    assert "not connected" in result.stdout


class Refusing(OpenAIServer):
    """Refuses every request with a status, in a message that names another one."""

    def __init__(self, status: int) -> None:
        super().__init__()
        self.status = status

    def respond(self, seen: ReceivedRequest) -> ServerResponse:
        """Refuse."""
        return ServerResponse([b'{"error": {"message": "see page (404)"}}'], status=self.status)


@pytest.mark.parametrize(("status", "is_checked"), [(401, True), (404, False), (403, False)])
def test_the_status_of_a_refusal_counts_and_not_its_words(status: int, is_checked: bool, openkoi: Shell) -> None:
    with Refusing(status) as server:
        ours = openkoi.with_environment(OPENAI_API_KEY="sk-not-a-real-key", OPENAI_BASE_URL=server.url)
        result = ours("doctor")

    assert is_checked == ("rejected the key (401): see page (404)" in result.stdout)
    assert is_checked == ("because it does not list its models" not in result.stdout)
