"""In a workspace that is a home folder, or lies around one, nothing is planted that runs at login or in a shell."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cli_process import Shell, shell
from planting_home import HOME_FILES, OURS
from planting_runs import SANDBOXES, call, command, configure, run, server

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line in the home folder."""
    (tmp_path / "user").mkdir()
    openkoi = shell(tmp_path / "user")
    openkoi.home.mkdir()
    return replace(openkoi, folder=openkoi.home.parent)


def writer(paths: list[str], below: str = ".") -> str:
    """Return a command that writes these files by a program, so that no line of a shell shows what it does."""
    code = (
        f"import pathlib\nfor name in {paths!r}:\n p = pathlib.Path({below!r}, name)\n"
        " try:\n  p.parent.mkdir(parents=True, exist_ok=True); p.write_text('planted')\n except OSError:\n  pass\n"
    )
    return f"cat > write.py <<'EOF'\n{code}EOF\npython3 write.py"


def planted(home: Path) -> list[str]:
    """Return the files that were planted."""
    return [name for name in (*HOME_FILES, *OURS) if (home / name).exists() and "planted" in (home / name).read_text()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("around", [False, True])
def test_nothing_that_runs_at_a_login_is_planted_in_a_home_folder(
    openkoi: Shell, sandbox: str, *, around: bool
) -> None:
    home = openkoi.folder
    configure(openkoi, sandbox)
    there = replace(openkoi, folder=home.parent) if around else openkoi
    lines = [writer([*HOME_FILES], home.name if around else "."), writer([*OURS], home.name if around else ".")]
    status, screen, _ = run(there, *map(command, lines))

    assert 0 == status, screen
    assert [] == planted(home)
    assert "planted" not in (home / "home/config.toml").read_text()


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_what_is_there_stays_as_it_was(openkoi: Shell, sandbox: str) -> None:
    home = openkoi.folder
    for name in HOME_FILES:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(f"# {name}")
    configure(openkoi, sandbox)
    swap = (
        "mv .config c2; mkdir -p .config/git; echo planted > .config/git/config; rm -rf .ssh; mkdir .ssh; "
        "echo planted > .ssh/rc"
    )
    status, screen, _ = run(openkoi, command(writer([*HOME_FILES])), command(swap), command("cat .ssh/config .npmrc"))

    assert 0 == status, screen
    there = [name for name in HOME_FILES if (home / name).exists()]  # a folder may be moved away with all that is in it
    assert [] == [name for name in there if (home / name).read_text() != f"# {name}"]
    assert ".bashrc" in there


@pytest.mark.parametrize("sandbox", SANDBOXES[:2])
def test_what_is_hidden_stays_hidden_though_it_is_read_only(openkoi: Shell, sandbox: str) -> None:
    for name in (".ssh/id_rsa", ".aws/credentials", ".openkoi/credentials/openai", ".netrc"):
        (openkoi.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (openkoi.folder / name).write_text("the user's own key")
    configure(openkoi, sandbox)
    status, screen, log = run(openkoi, command("cat .ssh/* .aws/* .openkoi/*/* .netrc; true"))

    assert 0 == status, screen
    assert "the user's own key" not in str([one for one in log if one["type"] == "tool_result"])


def test_a_file_tool_asks_in_a_home_folder_and_the_run_lists_what_was_approved(openkoi: Shell) -> None:
    configure(openkoi, guard="ask")
    with server(call("write_file", path=".profile", content="export A=1\n")) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Set a variable", "-m", "openai/gpt-fake", "-i", "0")
        before = (openkoi.folder / ".profile").exists()
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, False) == (stopped.returncode, before), stopped.stderr
    assert (0, True) == (resumed.returncode, (openkoi.folder / ".profile").exists()), resumed.stderr
    assert "  ! .profile is new: a shell runs it when it starts" in resumed.stderr
