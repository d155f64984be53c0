"""``openkoi update`` against a package index on this machine, in a clean environment, by pip and by uv."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from cli_process import CLEARED, Shell, write_script
from local_index import UV, Index, Installation, local_index, new_installation, only_from

pytestmark = pytest.mark.skipif(os.name != "posix", reason="environments and terminals are laid out as POSIX has it")
OF_INSTALLERS = re.compile("PIP_|UV_")
SAYS = '  - says: "Paris."\n    repeat: true\n'
NOWHERE = "http://127.0.0.1:1/simple"
FORMAT = "✓ The run log needs no migration: format 1 is current."
TASK = ("-i", "0", "-m", "scripted/script.yaml", "Name a town")


@dataclass(frozen=True, slots=True)
class Installed:
    """OpenKoi as users install it: from an index, by an installer, with its own home."""

    installation: Installation
    index: Index
    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not (CLEARED.match(key) or OF_INSTALLERS.match(key))}
        own = {"OPENKOI_HOME": str(self.home), "HOME": str(self.folder), "PYTHONWARNINGS": ""}
        return {**kept, **own, **only_from(self.index.url), **self.variables}

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def noted(self) -> Path:
        """The file with the index's answer."""
        return self.home / "data" / "releases.json"

    def __call__(self, *arguments: str, terminal: int | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(self.installation.python), "-m", "openkoi", *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if terminal is None else terminal,
            text=True,
            check=False,
            timeout=120,
        )

    def at_terminal(self, *arguments: str) -> str:
        """Run it with its messages on a terminal; return them."""
        master, slave = os.openpty()
        try:
            self(*arguments, terminal=slave)
            return os.read(master, 65_536).decode()
        finally:
            os.close(slave)
            os.close(master)

    def with_environment(self, **variables: str) -> "Installed":
        """Return the same with more variables."""
        return replace(self, variables={**self.variables, **variables})

    def asked_index(self) -> None:
        """Wait until the process of its own has noted what the index said."""
        wait_for(lambda: '"newer": [{' in self.noted.read_text())


def wait_for(there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not there():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return new_installation(tmp_path_factory.mktemp("environment") / "venv")


PIP = pytest.param("pip", marks=[pytest.mark.campaign] if UV else [])  # by default only one of them: it takes minutes


@pytest.fixture(params=[PIP, pytest.param("uv", marks=pytest.mark.skipif(not UV, reason="uv is not installed"))])
def openkoi(request: pytest.FixtureRequest, installation: Installation, tmp_path: Path) -> Iterator[Installed]:
    """Version 1.0, the only one that the index has, with one of the two installers."""
    programs = tmp_path / "bin"
    programs.mkdir()
    if request.param == "uv":
        (programs / "uv").symlink_to(str(UV))
    (tmp_path / "folder").mkdir()
    write_script(tmp_path / "folder", SAYS)
    with local_index(tmp_path / "index") as index:
        index.publish("1.0")
        installation.install(index, "openkoi==1.0")
        yield Installed(installation, index, tmp_path / "folder", {"PATH": f"{programs}{os.pathsep}{os.defpath}"})


def test_a_newer_release_is_shown_and_then_installed(openkoi: Installed) -> None:
    now = openkoi("update", "--check")
    openkoi.index.publish("2.0")
    newer = openkoi("update", "--check")
    before = openkoi.installation.version()
    result = openkoi("update")

    assert (0, "OpenKoi and its plugins are up to date.\n") == (now.returncode, now.stdout), now.stderr
    assert (0, "openkoi 1.0 -> 2.0\nRun `openkoi update` to install them.\n") == (newer.returncode, newer.stdout)
    assert ("1.0", "2.0") == (before, openkoi.installation.version())
    lines = ["✓ Updated openkoi 1.0 -> 2.0", FORMAT]
    assert (0, lines) == (result.returncode, result.stdout.splitlines()), result.stderr


@pytest.mark.parametrize("newer", [True, False])
def test_pending_migrations_are_run_a_line_each(openkoi: Installed, newer: bool) -> None:
    assert 0 == openkoi(*TASK).returncode
    if newer:
        openkoi.index.publish("2.0")
    result = openkoi("update")

    first = "✓ Updated openkoi 1.0 -> 2.0" if newer else "✓ OpenKoi and its plugins are up to date."
    assert (0, [first, FORMAT]) == (result.returncode, result.stdout.splitlines()), result.stderr


@pytest.mark.parametrize("case", ["offline", "not published"])
def test_where_there_is_nothing_to_compare_with_that_is_said(openkoi: Installed, case: str) -> None:
    if case == "offline":
        openkoi = openkoi.with_environment(PIP_INDEX_URL=NOWHERE, UV_INDEX_URL=NOWHERE)
    else:
        shutil.rmtree(openkoi.index.folder / "simple" / "openkoi")
    result = openkoi("update", "--check")

    assert (1, "") == (result.returncode, result.stdout)
    assert result.stderr.startswith("Error: Cannot check for updates: "), result.stderr
    assert " did not find a release of openkoi (" in result.stderr
    assert "Check the network and the package index that " in result.stderr


def test_a_project_cannot_choose_the_index_or_the_installer(openkoi: Installed) -> None:
    (openkoi.folder / "uv.toml").write_text(f'index-url = "{NOWHERE}"\n')
    (openkoi.folder / "pip.py").write_text("raise SystemExit('this is not pip')\n")
    (openkoi.folder / "openkoi_cli.py").write_text("raise SystemExit('this is not OpenKoi')\n")
    openkoi.index.publish("2.0")
    code = "import sys; sys.path.remove(''); from openkoi import main; main()"
    result = subprocess.run(
        [openkoi.installation.python, "-c", code, "update", "--check"],
        cwd=openkoi.folder,
        env={key: value for key, value in openkoi.environment.items() if key != "UV_NO_CONFIG"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "openkoi 1.0 -> 2.0\n" in result.stdout, result.stderr


def test_a_release_is_announced_once_a_day_after_a_run_at_a_terminal(openkoi: Installed) -> None:
    openkoi.index.publish("2.0")
    first = openkoi.at_terminal(*TASK)
    openkoi.asked_index()
    count = len(openkoi.index.asked)
    reply = openkoi.at_terminal(*TASK)
    again = openkoi.at_terminal(*TASK)

    line = "A newer release is available: openkoi 1.0 -> 2.0. Run `openkoi update`."
    assert [0, 1, 0] == [text.count(line) for text in (first, reply, again)], reply
    assert count == len(openkoi.index.asked)
    assert "1.0" == openkoi.installation.version()
    noted = json.loads(openkoi.noted.read_text())
    openkoi.noted.write_text(json.dumps({**noted, "asked": "2026-01-01", "announced": "2026-01-01"}))
    assert line in openkoi.at_terminal(*TASK)
    wait_for(lambda: len(openkoi.index.asked) > count)


def test_what_was_installed_meanwhile_is_not_announced(openkoi: Installed) -> None:
    openkoi.index.publish("2.0")
    openkoi.at_terminal(*TASK)
    openkoi.asked_index()
    openkoi.installation.install(openkoi.index, "openkoi==2.0")

    assert "newer release" not in openkoi.at_terminal(*TASK)


def test_without_a_terminal_or_with_the_setting_off_the_index_is_not_asked(openkoi: Installed) -> None:
    openkoi.index.publish("2.0")
    before = len(openkoi.index.asked)
    without = openkoi(*TASK)
    (openkoi.home / "config.toml").write_text("[updates]\ncheck = false\n")
    off = openkoi.at_terminal(*TASK)

    assert "newer release" not in without.stderr + off
    assert (False, before) == (openkoi.noted.exists(), len(openkoi.index.asked))


def test_offline_a_run_says_nothing_about_releases(openkoi: Installed) -> None:
    offline = openkoi.with_environment(PIP_INDEX_URL=NOWHERE, UV_INDEX_URL=NOWHERE)
    text = offline.at_terminal(*TASK) + offline.at_terminal(*TASK)

    assert "elease" not in text
    assert "index" not in text


def test_what_no_index_brought_is_not_compared_with_one(tmp_path: Path) -> None:
    result = Shell(tmp_path, tmp_path / "home")("update", "--check")

    assert 1 == result.returncode
    assert "Error: Cannot check for updates: OpenKoi was installed from " in result.stderr
    assert ", not from a package index. Update it there." in result.stderr


def test_pending_migrations_are_run_where_there_is_nothing_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    model = write_script(tmp_path / "folder", SAYS)
    openkoi = Shell(tmp_path / "folder", tmp_path / "home")
    assert 0 == openkoi("-i", "0", "-m", model, "Name a town").returncode
    result = openkoi("update")

    assert (1, f"{FORMAT}\n") == (result.returncode, result.stdout)
    assert "Error: Cannot check for updates: " in result.stderr
