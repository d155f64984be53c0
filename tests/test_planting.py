"""Test that nothing an agent writes is run by git, direnv, an editor or CI, through the command line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell
from planting_attacks import ATTACKS as SEEN
from planting_attacks import make_victim, planted
from planting_fresh import AT_ONCE, BY_TOOLS, FRESH, LISTED
from planting_held_out import HELD_OUT
from planting_runs import CI, SANDBOXES, call, command, configure, results, run, server

if not sys.platform.startswith("linux"):
    pytest.skip("programs and sandboxes as Linux has them", allow_module_level=True)

ATTACKS = {**SEEN, **HELD_OUT, **FRESH}
CONFINED_ONLY = {"a repository in the cache", "a link to a repository in the cache"}  # others write anywhere anyway
FEW = [
    "hook by python",
    "fsmonitor by git",
    "hooksPath by sed",
    "hook by an exchange",
    "new settings by a condition",
    "fsmonitor of a new repository",
    "fsmonitor behind a comment",
    ".envrc by python, deep",
    "tasks changed",
    "a workflow",
]


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line in a repository, without the evaluators: nothing is judged here."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def run_attacks(openkoi: Shell, sandbox: str, *names: str) -> list[str]:
    """Return what attacks planted."""
    victim = make_victim(openkoi.folder)
    configure(openkoi, sandbox)
    before = victim.files()
    elsewhere = openkoi.folder.parent / "elsewhere"
    elsewhere.mkdir()
    env = {**victim.variables, "TMPDIR": str(elsewhere), "XDG_CACHE_HOME": str(elsewhere)}
    status, screen, log = run(openkoi, *(command(ATTACKS[name]) for name in names), env=env)
    assert (0, True) == (status, bool(results(log))), screen
    return planted(victim, before)


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_nothing_is_planted(openkoi: Shell, sandbox: str) -> None:
    """Several ways in one task; each is undone before the next."""
    assert [] == run_attacks(openkoi, sandbox, *FEW)


@pytest.mark.campaign
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("name", ATTACKS)
def test_by_none_of_the_ways_anything_is_planted(openkoi: Shell, sandbox: str, name: str) -> None:
    if name in CONFINED_ONLY and sandbox in {"limits", "plain"}:
        pytest.skip("a command in this sandbox writes outside the workspace")
    assert [] == run_attacks(openkoi, sandbox, name)


@pytest.mark.campaign
def test_without_protection_each_attack_would_plant_something(tmp_path: Path) -> None:
    """The detection works: otherwise, all other tests here would prove nothing."""
    (tmp_path / "model/folder").mkdir(parents=True)
    model = make_victim(tmp_path / "model/folder")
    blind = []
    for number, (name, line) in enumerate(ATTACKS.items()):
        (tmp_path / str(number)).mkdir()
        victim = make_victim(tmp_path / str(number) / "folder", model.root)
        before = victim.files()
        cache = tmp_path / str(number) / "cache"
        cache.mkdir()
        env = {**os.environ, **victim.variables, "TMPDIR": str(cache.parent), "XDG_CACHE_HOME": str(cache)}
        subprocess.run(["bash", "-c", line], cwd=victim.root, env=env, capture_output=True, check=False)
        blind += [] if planted(victim, before) else [name]

    assert [] == blind


# What the user is asked, and what the user is shown.


WORKFLOW = command(f"printf 'on: pull_request\\n' > {CI}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("way", ["a command", "a file tool"])
def test_a_task_about_ci_waits_for_its_user_and_then_may(openkoi: Shell, sandbox: str, way: str) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, sandbox, guard="ask")
    tool = call("write_file", path=CI, content="on: pull_request\n", overwrite=True)
    first = WORKFLOW if way == "a command" else tool
    second = command(f"python3 -c \"p = '{CI}'; t = open(p).read(); open(p, 'w').write(t + '# more')\" && cat a.txt")
    with server(first, second) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Change CI", "-m", "openai/gpt-fake", "-i", "0")
        unchanged = (openkoi.folder / CI).read_text()
        output = there("approvals").stdout
        approved = there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, "on: push\n") == (stopped.returncode, unchanged), stopped.stderr
    assert (0, True) == (approved.returncode, "GitHub Actions runs it after a push" in output), output
    assert 0 == resumed.returncode, resumed.stderr
    assert "on: pull_request\n# more" == (openkoi.folder / CI).read_text(), resumed.stderr
    assert f"{CI} is changed: GitHub Actions runs it after a push" in resumed.stderr


OTHER_CI = "git checkout -qb side && echo 'on: fork' > .github/workflows/ci.yml && echo b > b.txt && git add -A"


@pytest.mark.sampled(5)
@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("line", ["git checkout -q side", "git merge -q side", "cd .github && git stash pop -q"])
def test_a_branch_with_other_ci_waits_and_is_then_checked_out(openkoi: Shell, sandbox: str, line: str) -> None:
    victim = make_victim(openkoi.folder)
    text = "git stash -q" if "stash" in line else "git commit -qm side"
    subprocess.run(f"{OTHER_CI} && {text} && git checkout -q -", shell=True, cwd=victim.root, check=True)
    configure(openkoi, sandbox, guard="ask")
    with server(command(line)) as models:
        there = openkoi.with_environment(**models)
        stopped = there("Go on there", "-m", "openai/gpt-fake", "-i", "0")
        before, message = (openkoi.folder / CI).read_text(), there("approvals").stdout
        there("approve")
        resumed = there("resume", "-m", "openai/gpt-fake")

    assert (8, "on: push\n") == (stopped.returncode, before), stopped.stderr
    assert "GitHub Actions runs it after a push" in message
    assert (0, "on: fork\n") == (resumed.returncode, (openkoi.folder / CI).read_text()), resumed.stderr
    assert (openkoi.folder / "b.txt").exists()


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_the_model_is_told_what_it_may_not_change_and_what_to_do(openkoi: Shell, sandbox: str) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, sandbox, guard="ask")
    other = command(
        "python3 -c \"import pathlib; pathlib.Path('.git', 'config').open('a').write('[a]')\"; echo .git/config"
    )
    status, screen, log = run(openkoi, other, command("echo 'x' | python3 -c \"open('.env' + 'rc', 'w')\""))

    assert 0 == status, screen
    assert "the user is asked to approve" in results(log).split("call_1")[0], results(log)
    assert ".envrc was created by a command and has been moved to" in results(log)
    assert "  ! .envrc was created by a command and has been moved to" in screen
    assert [".envrc"] == [one["path"] for one in log if one["type"] == "sandbox.protected" and one["path"] == ".envrc"]


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_ordinary_work_with_git_goes_on(openkoi: Shell, sandbox: str) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, sandbox, guard="ask")
    lines = (
        "echo b > b.txt && git add b.txt && git commit -qm b && git checkout -q -b side && git status --short",
        "echo c >> a.txt && git stash -q && git stash pop -q && git diff --stat && git commit -qam c",
        "git checkout -q - && git merge -q side && git tag v1 && git log --oneline && git branch -d side",
        "git init -q fresh && cd fresh && git config user.name n && git config user.email e && git commit -q "
        "--allow-empty -m f",
        "git clone -q . copy && git -C copy log --oneline && git worktree add -q tree && ls tree "
        "&& git -C tree status && git worktree remove tree",
    )
    status, screen, log = run(openkoi, *map(command, lines))

    output = [one["result"] for one in log if one["type"] == "tool_result"]
    assert (0, [0] * len(lines)) == (status, [one.get("exit_code") for one in output]), output
    assert [] == [one for one in log if one["type"] == "sandbox.protected"], screen


def test_at_its_end_a_run_lists_what_other_programs_will_run(openkoi: Shell) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, guard="ask")
    text = (
        "mkdir -p pkg .venv/lib/python3/site-packages node_modules/dep; echo 'x = 1' > conftest.py; "
        "echo 'a:' > pkg/Makefile; "
        'echo \'{"scripts": {"test": "x"}}\' > package.json; '
        "echo 'import os' > .venv/lib/python3/site-packages/a.pth; "
        "echo '{}' > node_modules/dep/package.json; echo x > sitecustomize.py; echo x > plain.py; git init -q lib; "
        "git worktree add -q --no-checkout tree"
    )
    status, screen, log = run(openkoi, command(text), call("write_file", path="setup.py", content="x = 1\n"))

    listed = {
        ".venv/lib/python3/site-packages/a.pth": "new: Python runs it whenever it starts in this environment",
        "conftest.py": "new: pytest runs it before the tests",
        "package.json": "new: npm, yarn and others run the scripts it names",
        "pkg/Makefile": "new: a build runs it",
        "setup.py": "new: pip and uv run it during an install",
        "sitecustomize.py": "new: Python runs it whenever it starts here",
    }
    at_once = {path: listed.pop(path) for path in sorted(listed, reverse=True) if "whenever" in listed[path]}
    assert 0 == status, screen
    assert [(at_once, listed)] == [(one["files"], one["by_tools"]) for one in log if one["type"] == "sandbox.autorun"]
    assert ["sitecustomize.py", ".venv/lib/python3/site-packages/a.pth"] == [*at_once]
    assert [f"  ! {path} is {reason}" for path, reason in at_once.items()] == [
        line for line in screen.splitlines() if " is new: " in line
    ]
    assert f"  Used by tools when you run them: {', '.join(f'{path} ({listed[path]})' for path in listed)}\n" in screen


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_whatever_a_program_makes_that_others_run_is_listed(openkoi: Shell, sandbox: str) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, sandbox)
    makes = "\n".join(
        f"p = pathlib.Path({path!r}); p.parent.mkdir(parents=True, exist_ok=True); p.write_text('x')"
        for path in (*LISTED, *BY_TOOLS, *AT_ONCE)
    )
    status, screen, log = run(openkoi, command(f"cat > make.py <<'EOF'\nimport pathlib\n{makes}\nEOF\npython3 make.py"))
    at_once, by_tools = (
        {path for one in log if one["type"] == "sandbox.autorun" for path in one[part]}
        for part in ("files", "by_tools")
    )

    assert 0 == status, screen
    assert [] == [path for path in LISTED if path not in at_once | by_tools]
    assert [] == [path for path in AT_ONCE if path not in at_once]
    assert set() == at_once & set(BY_TOOLS)
    assert [] == [path for path in BY_TOOLS if path not in by_tools]


def test_a_run_that_changes_nothing_of_the_kind_lists_nothing(openkoi: Shell) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, guard="ask")
    status, screen, log = run(openkoi, command("echo x > plain.py; echo y > a.txt"))

    assert 0 == status, screen
    assert [] == [one for one in log if one["type"] in {"sandbox.autorun", "sandbox.protected"}]


def test_many_dull_files_hide_none_that_runs_at_once(openkoi: Shell) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, more='approvals = "never"\n', guard="ask")
    dull = "for n in $(seq 40); do mkdir -p a/$n; echo x > a/$n/AGENTS.md; echo x > a/$n/Makefile; done"
    tool = call("write_file", path=".vscode/tasks.json", content="{}")
    status, screen, log = run(openkoi, command(dull), tool)
    lines = [
        line for line in screen.splitlines() if line.startswith("  ! ") and (" is new: " in line or " more " in line)
    ]

    assert 0 == status, screen
    assert lines[0].startswith("  ! .vscode/tasks.json is new: ")
    assert (
        31,
        "  ! and 11 more that other programs run automatically. To list all, run `openkoi export --output FOLDER`.",
    ) == (
        len(lines),
        lines[-1],
    )
    assert 1 == screen.count("Used by tools when you run them: ")
    assert " and 34 more. To list all, run `openkoi export --output FOLDER`." in screen
    assert {"a/7/AGENTS.md", "a/33/Makefile"} < {
        path for one in log for path in re.findall(r"a/\d+/\w+[.\w]*", str(one))
    }


SAME = "import json; d = json.load(open('package.json')); {}; json.dump(d, open('package.json', 'w'))"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("change", "listed"),
    [
        (SAME.format("d['version'] = '2'"), False),
        (SAME.format("d['dependencies'] = {'a': '1'}"), False),
        (SAME.format("d['scripts']['test'] = 'sh x'"), True),
        (SAME.format("d['husky'] = {'hooks': {}}"), True),
        ("open('package.json', 'a').write('}')", True),
        ("t = open('pyproject.toml').read(); open('pyproject.toml', 'w').write(t.replace('\"1\"', '\"2\"'))", False),
        ("open('pyproject.toml', 'a').write('[tool.pytest.ini_options]\\naddopts = \"-p x\"')", True),
        ("open('pyproject.toml', 'a').write('[build-system]\\nbuild-backend = \"x\"')", True),
        ("open('Makefile', 'a').write('b:')", True),
    ],
)
def test_only_what_a_file_makes_a_program_run_counts(openkoi: Shell, change: str, *, listed: bool) -> None:
    (openkoi.folder / "package.json").write_text('{"name": "x", "version": "1", "scripts": {"test": "true"}}')
    (openkoi.folder / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1"\n')
    (openkoi.folder / "Makefile").write_text("a:\n")
    subprocess.run("git init -q && git add -A", shell=True, cwd=openkoi.folder, check=True)
    configure(openkoi, guard="ask")
    status, screen, log = run(openkoi, command(f"cat > c.py <<'EOF'\n{change}\nEOF\npython3 c.py"))

    assert 0 == status, screen
    assert listed is ("Used by tools when you run them" in screen), screen
    assert " ! " not in screen.replace("  ! The price", ""), screen
    assert '"exit_code": 0' in results(log)


def test_pytest_runs_a_conftest_in_the_sandbox_and_the_user_is_shown_it(openkoi: Shell, tmp_path: Path) -> None:
    victim = make_victim(openkoi.folder)
    configure(openkoi, guard="ask")
    line = f"import os\nopen('ran', 'w')\nopen({str(victim.canary)!r}, 'w')\n"
    run_tests = command(f"{sys.executable} -m pytest -q -p no:cacheprovider test_a.py")
    status, screen, log = run(
        openkoi,
        call("write_file", path="conftest.py", content=line),
        call("write_file", path="test_a.py", content="def test_a() -> None:\n    pass\n"),
        run_tests,
    )

    assert (True, False) == ((openkoi.folder / "ran").exists(), victim.canary.exists()), results(log)
    assert "  Used by tools when you run them: conftest.py (new: pytest runs it before the tests)" in screen
    assert 0 == status, screen


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_doctor_says_what_becomes_of_such_files(openkoi: Shell, sandbox: str) -> None:
    configure(openkoi, sandbox)
    result = openkoi("doctor")

    assert "files run automatically" in result.stdout, result.stdout
    assert ("read-only" if sandbox == "bubblewrap" else "restored when a command ends") in result.stdout


def test_a_sandbox_that_cannot_refuse_says_so_once(openkoi: Shell) -> None:
    make_victim(openkoi.folder)
    configure(openkoi, "plain")
    _, screen, log = run(openkoi, command("ls"), command("ls -a"))

    assert ["plain"] == [one["sandbox"] for one in log if one["type"] == "sandbox.unsealed"]
    assert 1 == screen.count("To prevent changes, install bubblewrap.")
