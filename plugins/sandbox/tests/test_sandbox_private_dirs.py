"""Test the folders of a confined command besides its workspace: caches, temporary files, and its part of git's."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_hookspecs import Command, CommandResult, KoiError
from openkoi_sandbox import BubblewrapSandbox, LandlockSandbox, RlimitsSandbox
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.landlock import LANDLOCK_LEVEL
from openkoi_sandbox.private_dirs import PrivateDirsFactory, open_cache, remove_unused
from openkoi_sandbox.tool_caches import cache_variables
from openkoi_sandbox.worktree import GitFolders, find_git_folders

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux's cages")
HOME = Path("/home/ann")
MISSING = {LandlockSandbox: LANDLOCK_LEVEL.missing(), BubblewrapSandbox: BUBBLEWRAP_LEVEL.missing()}
Run = Callable[[str], CommandResult]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir(exist_ok=True)
    return tmp_path / "root"


@pytest.fixture(params=[LandlockSandbox, BubblewrapSandbox], ids=lambda kind: kind.__name__)
def run(request: pytest.FixtureRequest, tmp_path: Path, root: Path) -> Run:
    kind: type[LandlockSandbox] | type[BubblewrapSandbox] = request.param
    if MISSING[kind]:
        pytest.skip(f"not here: {MISSING[kind]}")
    sandbox = kind(folder=tmp_path / "outputs", caches=tmp_path / "caches")
    return lambda line: asyncio.run(sandbox.execute(Command(["sh", "-c", line], seconds=30), root))


def test_tools_keep_their_things_in_the_den() -> None:
    report = cache_variables(Path("/private"), HOME, {}, ())

    assert ("/private/xdg", "/private/cargo", "/private/npm") == (
        report["XDG_CACHE_HOME"],
        report["CARGO_HOME"],
        report["npm_config_cache"],
    )


def test_a_folder_that_may_be_written_stays_where_it_is() -> None:
    report = cache_variables(Path("/private"), HOME, {"UV_CACHE_DIR": "/big/uv"}, (HOME / ".cargo", Path("/big")))

    assert "CARGO_HOME" not in report
    assert "UV_CACHE_DIR" not in report
    assert "/private/xdg" == report["XDG_CACHE_HOME"]


def test_a_folder_that_a_variable_names_is_left_for_the_den_too() -> None:
    report = cache_variables(Path("/private"), HOME, {"UV_CACHE_DIR": "/big/uv", "CARGO_HOME": "/big/cargo"}, ())

    assert ("/private/xdg/UV_CACHE_DIR", "/private/cargo") == (report["UV_CACHE_DIR"], report["CARGO_HOME"])


def test_options_for_maven_are_added_to_those_there_are() -> None:
    report = cache_variables(Path("/private"), HOME, {"MAVEN_OPTS": "-Xmx1g"}, ())

    assert "-Xmx1g -Dmaven.repo.local=/private/maven/repository" == report["MAVEN_OPTS"]


def test_two_workspaces_share_nothing(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("one", "two")]
    for place in places:
        place.mkdir()

    assert 2 == len({open_cache(tmp_path / "caches", place) for place in places})
    assert open_cache(tmp_path / "caches", places[0]) == open_cache(tmp_path / "caches", places[0])


def test_the_caches_of_what_is_gone_or_long_unused_are_removed(tmp_path: Path) -> None:
    for name in ("here", "gone", "old"):
        (tmp_path / name).mkdir()
        (open_cache(tmp_path / "caches", tmp_path / name) / "read-only").mkdir(mode=0o500)
    (tmp_path / "gone").rmdir()
    long_ago = time.time() - 1_000_000
    old = next(m for m in (tmp_path / "caches").glob("*/workspace") if m.read_text().endswith("old"))
    os.utime(old, (long_ago, long_ago))

    remove_unused(tmp_path / "caches", time.time() - 500_000)

    assert [str(tmp_path / "here")] == [m.read_text() for m in (tmp_path / "caches").glob("*/workspace")]


def test_temporary_folders_go_with_the_sandbox(root: Path) -> None:
    private_dirs = PrivateDirsFactory(None, (), ())
    room = private_dirs.dirs_for(root).temporary
    assert room
    (room / "file").touch()

    del private_dirs

    assert not room.exists()


def test_a_folder_that_cannot_hold_caches_is_named(tmp_path: Path, root: Path) -> None:
    (tmp_path / "caches").write_text("in the way")

    with pytest.raises(KoiError, match="caches"):
        PrivateDirsFactory(tmp_path / "caches", (), ()).dirs_for(root)


def test_what_was_tidied_away_is_made_anew(tmp_path: Path, root: Path) -> None:
    private_dirs = PrivateDirsFactory(tmp_path / "caches", (), ())
    before, again = private_dirs.dirs_for(root), private_dirs.dirs_for(root)
    assert before.temporary
    before.temporary.rmdir()
    after = private_dirs.dirs_for(root)

    assert before == again
    assert before.temporary != after.temporary
    assert after.exists()


@linux
def test_a_cache_outlives_a_command_and_is_found_by_the_next(run: Run, tmp_path: Path, root: Path) -> None:
    run("mkdir -p $XDG_CACHE_HOME/tool && echo kept > $XDG_CACHE_HOME/tool/file")

    assert "kept\n" == run("cat $XDG_CACHE_HOME/tool/file").output
    run("echo x > $XDG_CACHE_HOME/../../workspace")
    assert [str(root)] == [marker.read_text() for marker in (tmp_path / "caches").glob("*/workspace")]


@linux
def test_temporary_files_are_found_by_the_next_command_and_by_nobody_else(run: Run) -> None:
    run("echo kept > $TMPDIR/openkoi-test-file")

    assert "kept\n" == run("cat $TMPDIR/openkoi-test-file").output
    assert not Path("/tmp/openkoi-test-file").exists()


@linux
@pytest.mark.skipif(bool(BUBBLEWRAP_LEVEL.missing()), reason="not here")
def test_isolated_a_fixed_name_in_the_temporary_folder_will_do(tmp_path: Path, root: Path) -> None:
    bind = "import socket; socket.socket(socket.AF_UNIX).bind('/tmp/openkoi-test-door')"
    sandbox = BubblewrapSandbox(folder=tmp_path / "outputs")

    assert 0 == asyncio.run(sandbox.execute(Command([sys.executable, "-c", bind]), root)).exit_code


@linux
def test_processes_may_share_memory(run: Run) -> None:
    lock = f'{sys.executable} -c "import multiprocessing; multiprocessing.Lock()"'

    assert CommandResult(0, "") == run(lock)


@linux
def test_what_is_typed_at_other_terminals_is_not_read(run: Run) -> None:
    leader, follower = os.openpty()
    try:
        os.write(leader, b"sesame\n")

        assert "sesame" not in run(f"timeout 0.3 head -n 1 {os.ttyname(follower)}").output
    finally:
        os.close(leader)
        os.close(follower)


@linux
def test_the_ways_to_programs_that_cannot_be_reached_are_not_told(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SSH_AUTH_SOCK", "DISPLAY"):
        monkeypatch.setenv(name, "somewhere")
    report = PrivateDirsFactory(None, (), ("SSH_*",)).dirs_for(root).environment(os.environ)

    assert ("somewhere", None) == (report.get("SSH_AUTH_SOCK"), report.get("DISPLAY"))


@linux
def test_where_nothing_is_confined_only_compiled_python_goes_elsewhere(tmp_path: Path, root: Path) -> None:
    limits = RlimitsSandbox(folder=tmp_path / "outputs", caches=tmp_path / "caches")
    (root / "module.py").write_text("x = 1\n")
    line = "python3 -c 'import module'; env | grep -c \"$0/\""

    result = asyncio.run(limits.execute(Command(["bash", "-c", line, str(tmp_path / "caches")]), root))

    assert "1" == result.output.strip()
    assert (1, []) == (len([*(tmp_path / "caches").rglob("module.*.pyc")]), [*root.rglob("*.pyc")])


def git(place: Path, *words: str) -> None:
    manners = ["-c", "user.name=a", "-c", "user.email=b", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *manners, *words], cwd=place, check=True, capture_output=True)


def repository_in(tmp_path: Path) -> Path:
    """Make a repository, its worktree ``root`` beside it, and in it a submodule ``sub``."""
    for name in ("repo", "lib"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path / "repo", "submodule", "--quiet", "add", str(tmp_path / "lib"), "sub")
    git(tmp_path / "repo", "worktree", "add", "-q", str(tmp_path / "root"))
    return tmp_path / "repo"


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A repository that a test changes."""
    return repository_in(tmp_path)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that tests only read."""
    return repository_in(tmp_path_factory.mktemp("looked-at"))


@linux
def test_a_worktree_is_committed_in_and_the_hooks_of_all_are_not_touched(changed: Path, run: Run) -> None:
    result = run(
        "echo x > new && git add new && git -c user.name=a -c user.email=b commit -q -m x && git log --oneline"
    )
    hooked = run("echo x > $(git rev-parse --git-common-dir)/hooks/pre-commit; git config core.pager x")

    assert (0, 2) == (result.exit_code, len(result.output.splitlines())), result.output
    assert 0 != hooked.exit_code
    assert not (changed / ".git/hooks/pre-commit").exists()


def test_a_submodule_has_its_git_folder(repository: Path) -> None:
    assert (repository / ".git/modules/sub",) == find_git_folders(repository / "sub").written


def test_a_part_of_a_repository_reads_its_history_and_does_not_write_it(repository: Path) -> None:
    (repository / "part").mkdir()

    assert GitFolders(read=(repository / ".git",)) == find_git_folders(repository / "part")


def test_a_git_folder_in_the_workspace_needs_nothing(repository: Path) -> None:
    assert GitFolders() == find_git_folders(repository)


@pytest.mark.parametrize("goal", ["repo/.git", "repo/.git/worktrees/root", "repo/.git/modules/sub", "lib/.git", "repo"])
def test_a_workspace_that_claims_the_git_folder_of_another_gets_nothing(
    repository: Path, tmp_path: Path, goal: str
) -> None:
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text(f"gitdir: {repository.parent / goal}\n")

    assert GitFolders() == find_git_folders(thief)


def test_a_forged_git_folder_leads_nowhere_else(tmp_path: Path) -> None:
    root, forged = tmp_path / "root", tmp_path / "mine" / "worktrees" / "x"
    for place in (root, forged, tmp_path / "victim"):
        place.mkdir(parents=True)
    (root / ".git").write_text(f"gitdir: {forged}\n")
    (forged / "gitdir").write_text(f"{root / '.git'}\n")
    (forged / "commondir").write_text(f"{tmp_path / 'victim'}\n")
    (tmp_path / "mine" / "objects").symlink_to(tmp_path / "victim")

    assert (forged,) == find_git_folders(root).written
