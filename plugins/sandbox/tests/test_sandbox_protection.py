"""Test that files which other programs run are restored: in worktrees and submodules, concurrently, as approved."""

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_base.schema.autorun_index import AutorunIndex
from openkoi_base.schema.git_config import named_paths, parse_settings, runs_nothing
from openkoi_hookspecs import Command, CommandResult, Sandbox
from openkoi_sandbox import BubblewrapSandbox, LandlockSandbox, UnconfinedSandbox
from openkoi_sandbox.bubblewrap import BUBBLEWRAP_LEVEL
from openkoi_sandbox.events import Protected
from openkoi_sandbox.landlock import LANDLOCK_LEVEL

Make = Callable[[Path], Sandbox]
SANDBOXES = [
    pytest.param(
        BubblewrapSandbox, marks=pytest.mark.skipif(bool(BUBBLEWRAP_LEVEL.missing()), reason=BUBBLEWRAP_LEVEL.missing())
    ),
    pytest.param(
        LandlockSandbox, marks=pytest.mark.skipif(bool(LANDLOCK_LEVEL.missing()), reason=LANDLOCK_LEVEL.missing())
    ),
    UnconfinedSandbox,
]
PIECES = (
    *("[core]", "[color]", '[color "a b"]', '[core "x"]', "[a.b]", "[", "]", "fsmonitor", "key", "bare = 1", "=", "x"),
    *(
        "\n[core]\n",
        "\n\tfsmonitor = t\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "\f",
        "\v",
        "\t",
        " ",
        "\u2028",
        "\ufeff",
        "1",
        "-",
    ),
    *('"', "\\", "\\\n", "\\\r\n", "\\n", "\\\\", '\\"', "#", ";"),
)


def git(folder: Path, *words: str) -> None:
    named = ("-c", "user.email=a@b", "-c", "user.name=n", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *named, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a commit."""
    root = tmp_path / "root"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a").write_text("a")
    git(root, "add", "a")
    git(root, "commit", "-qm", "a")
    return root


def run(make: type[Sandbox], root: Path, line: str, *, approved: tuple[Path, ...] = ()) -> CommandResult:
    sandbox = make(folder=root.parent / "data/outputs")  # type: ignore[call-arg]  # each of ours takes one
    return asyncio.run(sandbox.execute(Command(["bash", "-c", line], approved=frozenset(map(str, approved))), root))


async def until(path: Path) -> None:
    """Wait for a file."""
    while not path.exists():  # noqa: ASYNC110, ASYNC240  # another process makes it
        await asyncio.sleep(0.02)


def undone(result: CommandResult) -> list[str]:
    return [event.path for event in result.events if isinstance(event, Protected)]


@pytest.mark.parametrize("make", SANDBOXES)
def test_a_worktree_s_folder_elsewhere_is_watched(root: Path, make: type[Sandbox]) -> None:
    tree = root.parent / "tree"
    git(root, "worktree", "add", "-q", str(tree))
    own = root / ".git/worktrees/tree"
    before = (own / "commondir").read_text()

    run(make, tree, f"echo /tmp > {own}/commondir; echo '[alias] a=!x' > {own}/config.worktree; rm .git; ln -s x .git")

    assert (before, False) == ((own / "commondir").read_text(), (own / "config.worktree").exists())
    assert str(own) in (tree / ".git").read_text()


@pytest.mark.parametrize("make", SANDBOXES)
def test_a_submodule_s_folder_elsewhere_is_watched(root: Path, make: type[Sandbox]) -> None:
    git(root, "clone", "-q", "--bare", ".", "../library")
    git(root, "submodule", "add", "-q", "../library", "sub")
    own = root / ".git/modules/sub"
    before = (own / "config").read_text()

    run(make, root / "sub", f"git config core.fsmonitor x; echo x > {own}/hooks/pre-commit")

    assert (before, False) == ((own / "config").read_text(), (own / "hooks/pre-commit").exists())


@pytest.mark.parametrize("make", SANDBOXES)
def test_what_is_approved_may_be_changed_and_nothing_else(root: Path, make: type[Sandbox]) -> None:
    line = "git config user.name new; echo x > .envrc; echo x > .git/hooks/pre-commit"

    result = run(make, root, line, approved=(root / ".git/config", root / ".envrc"))

    assert "new" in (root / ".git/config").read_text()
    assert ((root / ".envrc").exists(), (root / ".git/hooks/pre-commit").exists()) == (True, False)
    assert ".git/config" not in undone(result)


@pytest.mark.parametrize("make", SANDBOXES)
def test_of_commands_at_the_same_time_none_saves_what_another_planted(root: Path, make: type[Sandbox]) -> None:
    sandbox = make(folder=root.parent / "data/outputs")  # type: ignore[call-arg]  # each of ours takes one
    plant = "echo x > .envrc; mkdir -p .vscode; echo x > .vscode/tasks.json; touch planted; sleep 0.5"
    wait = "until test -e planted; do sleep 0.02; done; sleep 1"

    async def both() -> None:
        first = asyncio.create_task(sandbox.execute(Command(["bash", "-c", plant]), root))
        await asyncio.sleep(0.2)
        await asyncio.gather(first, *(sandbox.execute(Command(["bash", "-c", wait]), root) for _ in range(3)))

    asyncio.run(both())

    assert {".git", "a", "planted"} == {path.name for path in root.iterdir()}


@pytest.mark.parametrize("make", SANDBOXES)
def test_a_command_that_is_cancelled_leaves_nothing_planted(root: Path, make: type[Sandbox]) -> None:
    sandbox = make(folder=root.parent / "data/outputs")  # type: ignore[call-arg]  # each of ours takes one

    async def cancelled() -> None:
        line = "echo x > .envrc; touch planted; sleep 60"
        task = asyncio.create_task(sandbox.execute(Command(["bash", "-c", line]), root))
        await until(root / "planted")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())

    assert not (root / ".envrc").exists()


@pytest.mark.parametrize("make", SANDBOXES)
def test_what_its_user_changes_between_two_commands_stays(root: Path, make: type[Sandbox]) -> None:
    run(make, root, "true")
    (root / ".envrc").write_text("the user's")
    git(root, "config", "core.pager", "less -R")

    result = run(make, root, "echo b > b")

    assert ("the user's", []) == ((root / ".envrc").read_text(), undone(result))
    assert "less -R" in (root / ".git/config").read_text()


@pytest.mark.skipif(bool(BUBBLEWRAP_LEVEL.missing()), reason=BUBBLEWRAP_LEVEL.missing())
def test_what_is_read_only_to_commands_its_user_may_change_meanwhile(root: Path) -> None:
    sandbox = BubblewrapSandbox(folder=root.parent / "data/outputs")

    async def meanwhile() -> CommandResult:
        line = "touch begun; until test -e go; do sleep 0.02; done"
        task = asyncio.create_task(sandbox.execute(Command(["bash", "-c", line]), root))
        await until(root / "begun")
        git(root, "config", "user.name", "the user")
        (root / "go").touch()
        return await task

    result = asyncio.run(meanwhile())

    assert ("the user" in (root / ".git/config").read_text(), []) == (True, undone(result))


@pytest.mark.parametrize(
    "text",
    [
        '[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote "o"]\n\turl = git@host:x/y.git\n',
        '[user]\n\tname = A B\n[branch "a.b/c"]\n\tremote = o\n\tmerge = refs/heads/a\n; a comment\n# another\n',
        '[submodule "a"]\n\tactive = true\n\turl = https://host/x\n[pull] rebase = true\n',
        "",
    ],
)
def test_settings_that_run_nothing(text: str) -> None:
    assert runs_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "[core]\n\tfsmonitor = x\n",
        "[core] sshCommand = x\n",
        '[remote "o"]\n\turl = ext::sh -c x\n',
        '[remote "o"]\n\turl = "ext::sh -c x"\n',
        '[remote "o"]\n\tuploadpack = x\n',
        '[submodule "a"]\n\tupdate = !x\n',
        "[include]\n\tpath = x\n",
        "[alias]\n\tst = !x\n",
        "[user\n\tname = x\n",
        "[core]\n\tbare = false \\\n\n\tfsmonitor = x\n",
        "name = without a section\n",
        "\ufeff[core]\n\tfsmonitor = x\n",
        '[credential "https://x"]\n\thelper = !x\n',
        '[remote "o"]\n\turl = e"xt"::sh -c x\n',
        "[core]\n\tbare = false ; not continued \\\n\tfsmonitor = x\n",
        "[core]\n# not continued \\\n\tfsmonitor = x\n",
        "[color]\n\tui = a\\\\\n[core]\n\tfsmonitor = x\n",
        "[core]\n\tlongpaths = a\\\r\n[color]\n\tfsmonitor = x\n",
        *(f"[core]\n\tbare = false #{end}[color]\n\tfsmonitor = x\n" for end in "\r\f\v\x1c\x85\u2028"),
    ],
)
def test_settings_that_may_run_something(text: str) -> None:
    assert not runs_nothing(text)


def test_what_git_reads_in_settings_is_read_the_same(tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(150):
        text = chance.choice(("", "[core]\n")) + "".join(chance.choices(PIECES, k=chance.randint(1, 9)))
        (tmp_path / "c").write_bytes(text.encode())
        result = subprocess.run(["git", "config", "-f", tmp_path / "c", "-lz"], capture_output=True, check=False)
        rows = [*parse_settings(text)]
        if result.returncode == 0 and all(key for key, _ in rows):
            keys = [one.partition("\n")[0].lower() for one in result.stdout.decode().split("\0") if one]
            assert keys == [key for key, _ in rows], repr(text)


def test_hooks_and_further_settings_are_found_in_settings() -> None:
    text = '[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../more\n[includeIf "gitdir:x"]\n\tpath = "y"\n'

    assert [".githooks", "../more", "y"] == [path for _, path in named_paths(text)]


@pytest.mark.parametrize("make", SANDBOXES)
def test_hooks_that_settings_name_are_protected_wherever_they_are(root: Path, make: type[Sandbox]) -> None:
    (root / ".githooks").mkdir()
    (root / ".githooks/pre-commit").write_text("true")
    (root / "more").write_text("[user]\n\tname = n\n")
    git(root, "config", "core.hooksPath", ".githooks")
    git(root, "config", "include.path", "../more")

    run(make, root, "echo x >> .githooks/pre-commit; echo x > .githooks/pre-push; echo '[core]' >> more")

    assert ["true"] == [path.read_text() for path in (root / ".githooks").iterdir()]
    assert "[user]\n\tname = n\n" == (root / "more").read_text()


def test_an_index_sees_what_came_and_went(tmp_path: Path) -> None:
    index = AutorunIndex(tmp_path)
    rows = []
    for change in (
        lambda: (tmp_path / "a/b").mkdir(parents=True),
        lambda: (tmp_path / "a/b/.envrc").write_text("x"),
        lambda: (tmp_path / "a").rename(tmp_path / "c"),
        lambda: (tmp_path / "c/.github/workflows").mkdir(parents=True),
        lambda: (tmp_path / "c/.github/workflows/x.yml").write_text("x"),
        lambda: (tmp_path / "c/.git").mkdir(),
        lambda: (tmp_path / "c/b/.envrc").unlink(),
    ):
        change()
        rows.append(sorted(index.find_files()))

    found, workflow = ["c/b/.envrc"], "c/.github/workflows/x.yml"
    assert [[], ["a/b/.envrc"], found, found, found, [workflow, *found], [workflow]] == rows


@pytest.mark.parametrize("make", SANDBOXES)
def test_what_was_planted_when_openkoi_was_killed_is_reported_by_the_next(root: Path, make: type[Sandbox]) -> None:
    if sys.platform == "win32":
        pytest.skip("signals are POSIX's")
    code = (
        "import asyncio, pathlib, sys\nimport openkoi_sandbox\nfrom openkoi_hookspecs import Command\n"
        f"box = openkoi_sandbox.{make.__name__}(folder=pathlib.Path({str(root.parent / 'data/outputs')!r}))\n"
        "line = 'echo x > .envrc; touch planted; sleep 60'\n"
        f"asyncio.run(box.execute(Command(['bash', '-c', line]), pathlib.Path({str(root)!r})))\n"
    )
    killed = subprocess.Popen([sys.executable, "-c", code])
    asyncio.run(until(root / "planted"))
    killed.kill()
    killed.wait()

    first, second = run(make, root, "true"), run(make, root, "true")

    assert ([".envrc"], []) == (undone(first), undone(second))
    assert "OpenKoi was killed first" in first.output
