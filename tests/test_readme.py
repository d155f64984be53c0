"""Every block of every README does what it says."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest
from bare_install import make_bare_install
from cli_process import Shell

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SKIPPED = {".venv", "node_modules", "project", ".pytest_cache"}
PAGES = sorted(path for path in ROOT.rglob("*.md") if not SKIPPED & set(path.relative_to(ROOT).parts))
README = (ROOT / "README.md").read_text()
MIN_NAMED_FILES = 100  # the tables name some 300


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (str(page.relative_to(ROOT)), text)
        for page in PAGES
        for kind, text in BLOCK.findall(page.read_text())
        if kind == language
    ]


def alone(blocks: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Those that are not files of an example of several: such examples have tests of their own."""
    return [(page, text) for page, text in blocks if not re.match(r"# [\w/]+\.py\n", text)]


RUN_BLOCKS = """
import json, os, sys, traceback

for number, text in enumerate(json.loads(sys.argv[1])):
    os.mkdir(str(number))
    os.chdir(str(number))
    try:
        exec(compile(text, f"block {number}", "exec"), {"__name__": "__main__"})
        print("\\0", number, "runs", file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    os.chdir("..")
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What blocks of Python print when they fail, or that they run; all in one process, since imports take longest."""
    texts = [text for _, text in PYTHON]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", RUN_BLOCKS, json.dumps(texts)],
        cwd=tmp_path_factory.mktemp("blocks"),
        capture_output=True,
        text=True,
        check=False,
    )
    return result.stderr


PYTHON = alone(blocks("python"))


@pytest.mark.parametrize("number", range(len(PYTHON)), ids=lambda number: PYTHON[number][0])
def test_python_blocks_run(number: int, outcomes: str) -> None:
    assert f"\0 {number} runs\n" in outcomes, outcomes


@pytest.mark.parametrize(("page", "text"), blocks("toml"), ids=lambda value: value if value.endswith(".md") else "")
def test_toml_blocks_are_toml(page: str, text: str) -> None:
    assert tomllib.loads(text), page


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> list[subprocess.CompletedProcess[str]]:
    """The demo twice, as after ``pip install openkoi``."""
    root = tmp_path_factory.mktemp("bare")
    bare, env = make_bare_install(root), Shell(root, root / "home").environment
    return [bare.run("demo", home=root, env=env) for _ in range(2)]


@pytest.mark.timeout(300)
@pytest.mark.row("ONB-01")
def test_the_demo_prints_what_the_readme_shows(demos: list[subprocess.CompletedProcess[str]]) -> None:
    lines = next(text for page, text in blocks("console") if page == "README.md").splitlines()
    first = demos[0]

    assert 0 == first.returncode, first.stderr
    printed = (first.stderr + first.stdout).splitlines()
    assert [] == [line for line in lines[2:] if line and line not in printed]
    scores = [float(score) for score in re.findall(r"score: (\d\.\d+)", first.stderr)]
    assert len(scores) >= 2
    assert sorted(scores) == scores


def test_a_second_demo_needs_one_iteration_as_the_readme_says(demos: list[subprocess.CompletedProcess[str]]) -> None:
    counts = [re.findall(r"\[done\] (\d) iteration", demo.stderr) for demo in demos]

    assert "If you run the demo again, it needs\nonly one iteration" in README
    assert [["2"], ["1"]] == counts, demos[1].stderr


def test_the_gym_prints_what_the_readme_shows() -> None:
    block = next(text for text in re.findall(r"(?:^    .*\n)+", README, re.MULTILINE) if "openkoi_testing.gym" in text)
    command, *lines = (line.removeprefix("    ").rstrip() for line in block.splitlines())
    done = subprocess.run(
        [sys.executable, *command.split()[2:]], capture_output=True, text=True, check=False, cwd=ROOT / "tests"
    )

    assert lines[:-1] == [line.rstrip() for line in done.stdout.splitlines()][: len(lines) - 1], done.stderr
    assert "..." == lines[-1].strip()


def test_the_two_commands_are_what_ci_runs() -> None:
    command = "uv run --all-packages --group test pytest"

    assert "python -m pip install uv && uv run openkoi demo" in README
    assert f"python -m pip install uv && {command}" in README
    run = (ROOT / ".ci" / "run").read_text()
    assert f'{command.removesuffix(" pytest")} "$@"' in run
    assert re.search(r"^run pytest\b", run, re.MULTILINE)
    assert {"lint", "types"} <= set(re.findall(r"poe (\w+)", run))


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_files_that_tables_of_readmes_name_exist() -> None:
    rows = [(page, row) for page in PAGES for row in re.findall(r"^\| (`.*?) \|", page.read_text(), re.MULTILINE)]
    named = [(page, name) for page, row in rows for name in re.findall(r"`([\w/]+\.py)`", row)]

    assert len(named) > MIN_NAMED_FILES
    assert [] == [f"{page.relative_to(ROOT)}: {name}" for page, name in named if not [*page.parent.rglob(f"**/{name}")]]


def test_files_that_the_page_of_prompts_names_exist() -> None:
    table = (ROOT / "plugins" / "prompt" / "PROMPTS.md").read_text().partition("## Compared")[0]
    rows = "\n".join(line for line in table.splitlines() if line.startswith("|"))
    named = set(re.findall(r"([\w/]+\.(?:py|toml))`|\((src/[\w/]+\.\w+)\)", rows))

    assert {"system_prompt.py"} <= {Path(name).name for pair in named for name in pair}
    assert [] == [name for pair in named for name in pair if name and not [*ROOT.glob(f"*/**/{name}")]]


def test_commands_that_the_readme_names_exist() -> None:
    from openkoi_cli.group import COMMANDS

    named = set(re.findall(r"\$ openkoi ([a-z]+)$", README, re.MULTILINE))

    assert named <= {*COMMANDS, "demo"}


@pytest.mark.row("PLUG-09", "C74")
def test_surprising_dependencies_have_their_reasons_in_the_readme() -> None:
    for name in ("httpx2", "importlib-metadata", "hnswlib"):
        assert f"`{name}`" in README


def test_the_readme_s_plugin_is_the_example_that_is_tested() -> None:
    message = next(text for page, text in blocks("python") if page == "README.md")
    example = (ROOT / "examples" / "hello_hook" / "house_style.py").read_text()

    assert ast.dump(ast.parse(message)) in ast.dump(ast.parse(example)) or message.strip() in example
