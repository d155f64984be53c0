"""The service that starts the daemon with the user's session, as systemd and launchd read it."""

import os
import plistlib
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest
from assistant_process import make_chat, running
from cli_process import shell

from openkoi_assistant.service import launchd_agent, quote_word, systemd_unit

VARIABLES = {"OPENKOI_HOME": "/srv/a koi & 100%", "PATH": "/usr/bin"}
ODD = """it's a "koi" in $HOME \\ at 50%"""


def read_unit(text: str) -> ConfigParser:
    """Return the sections of a unit."""
    unit = ConfigParser(interpolation=None, strict=False)
    unit.read_string(text)
    return unit


@pytest.mark.unit
def test_a_unit_runs_the_daemon_in_its_folder_and_restarts_it_after_a_crash(tmp_path: Path) -> None:
    unit = read_unit(systemd_unit(tmp_path, VARIABLES))

    assert unit["Service"]["ExecStart"].endswith('"-m" "openkoi" "daemon" "run"')
    assert (str(tmp_path), "on-failure") == (unit["Service"]["WorkingDirectory"], unit["Service"]["Restart"])
    assert "kill -HUP $MAINPID" in unit["Service"]["ExecReload"]
    assert "default.target" == unit["Install"]["WantedBy"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("name", ["koi", "a koi", ODD])
def test_systemd_takes_the_unit(tmp_path: Path, name: str) -> None:
    file = tmp_path / "openkoi.service"
    folder = tmp_path / name
    folder.mkdir()
    verify = ["systemd-analyze", "verify", "--user", str(file)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}  # without one it reads nothing

    file.write_text(systemd_unit(folder, {**VARIABLES, "OPENKOI_HOME": str(folder)}))
    good = subprocess.run(verify, env=environment, capture_output=True, text=True, check=False)
    file.write_text(file.read_text().replace("RestartSec=5", "RestartSec=soon"))
    bad = subprocess.run(verify, env=environment, capture_output=True, text=True, check=False)

    assert (0, "") == (good.returncode, "".join(line for line in good.stderr.splitlines() if str(file) in line))
    assert f"{file}:" in bad.stderr


@pytest.mark.unit
def test_words_of_a_unit_are_quoted_as_systemd_reads_them() -> None:
    assert r'''"it's a \"koi\" in $HOME \\ at 50%%"''' == quote_word(ODD)


@pytest.mark.unit
def test_an_agent_is_a_property_list_with_the_same(tmp_path: Path) -> None:
    agent = plistlib.loads(launchd_agent(tmp_path, VARIABLES).encode())

    assert ["-P", "-m", "openkoi", "daemon", "run"] == agent["ProgramArguments"][1:]
    assert (str(tmp_path), VARIABLES) == (agent["WorkingDirectory"], agent["EnvironmentVariables"])
    assert (True, {"SuccessfulExit": False}) == (agent["RunAtLoad"], agent["KeepAlive"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is of Linux")
def test_install_writes_the_unit_and_uninstall_removes_it(tmp_path: Path) -> None:
    openkoi = shell(tmp_path).with_environment(
        XDG_CONFIG_HOME=str(tmp_path / "config"), PATH=str(tmp_path)
    )  # no systemctl there
    file = tmp_path / "config" / "systemd" / "user" / "openkoi.service"

    installed = openkoi("daemon", "install")
    text = file.read_text()
    removed = openkoi("daemon", "uninstall")
    again = openkoi("daemon", "uninstall")

    assert f"Wrote {file}. The daemon was not started: " in installed.stdout
    assert f'Environment="OPENKOI_HOME={openkoi.home}"' in text
    assert (0, 1) == (removed.returncode, again.returncode)
    assert not file.exists()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="systemd is of Linux")
def test_install_does_not_start_a_second_daemon_beside_one_that_runs(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    openkoi = chat.openkoi.with_environment(XDG_CONFIG_HOME=str(tmp_path / "config"), PATH=str(tmp_path))
    with running(openkoi) as daemon:
        refused = openkoi("daemon", "install")

    assert f"The daemon is running (process {daemon.pid})" in refused.stderr
    assert 1 == refused.returncode
    assert not (tmp_path / "config").exists()
