"""A program that is there and cannot start was not run: named with the remedy, and no red check."""

import os
import shutil
from pathlib import Path

import pytest
from cli_process import Shell
from verdict_runs import DONE, configure, result, write_script_outside

pytestmark = pytest.mark.skipif(os.name != "posix", reason="launchers are shell scripts here")

SAYS = '#!/bin/sh\necho "{message}" >&2\nexit {status}\n'
RUSTUP = (
    "error: rustup could not choose a version of {name} to run, because one wasn't specified explicitly, and no "
    "default is configured.\nhelp: run 'rustup default stable' to download the latest stable release of Rust."
)
FOREIGN = "sh: {name}: cannot execute binary file: Exec format error"
LAUNCHERS = {
    "rustup": (SAYS.format(message=RUSTUP, status=1), "rustup default stable"),
    "an older rustup": (
        SAYS.format(message="error: no default toolchain configured", status=1),
        "rustup default stable",
    ),
    "a rustup without the toolchain": (
        SAYS.format(message="error: toolchain 'nightly-x86_64' is not installed", status=1),
        "rustup toolchain install nightly-x86_64",
    ),
    "nodenv": (
        SAYS.format(message="nodenv: version \\`18.0.0' is not installed (set by /x/.node-version)", status=1),
        "nodenv install 18.0.0",
    ),
    "pyenv": (SAYS.format(message="pyenv: {name}: command not found", status=127), "pyenv global"),
    "asdf": (SAYS.format(message="No version is set for command {name}", status=126), "asdf install"),
    "volta": (SAYS.format(message="Volta error: Node is not available.", status=126), "volta install"),
    "a library that is missing": (
        SAYS.format(
            message="{name}: error while loading shared libraries: libx.so.1: cannot open shared object", status=127
        ),
        "libx.so.1",
    ),
    "a newer system's build": (
        SAYS.format(message="{name}: /lib/libc.so.6: version 'GLIBC_2.99' not found (required by {name})", status=1),
        "build for this system",
    ),
    "a shim of mise": (
        "#!/bin/sh\necho 'mise ERROR {name} is not a valid shim. This likely means you uninstalled it' >&2\nexit 1\n",
        "mise install",
    ),
    "fnm": (
        SAYS.format(message="error: Requested version v18.x.x is not currently installed", status=1),
        "fnm install",
    ),
    "any toolchain": (SAYS.format(message="toolchain not installed", status=1), "Install the toolchain"),
    "Go's toolchain": (
        SAYS.format(message="go: download go1.99 for linux/amd64: toolchain not available", status=1),
        "Install go1.99",
    ),
    "a snap that is not confined": (
        SAYS.format(message="snap-confine has elevated permissions and is not confined but should be", status=1),
        "snap refresh",
    ),
    "a snap without the program": (
        SAYS.format(message="error: cannot find app {name} in tools", status=1),
        "snap refresh",
    ),
    "an older asdf": (SAYS.format(message="command not found: asdf: No version is set", status=126), "asdf install"),
    "asdf without the shim": (
        SAYS.format(message="unknown command: {name}. Perhaps you have to reshim?", status=126),
        "asdf reshim",
    ),
    "a library that macOS misses": (
        SAYS.format(message="dyld[12]: Library not loaded: @rpath/libx.dylib", status=134),
        "libx.dylib",
    ),
    "a musl build": (
        SAYS.format(message="Error loading shared library libstdc++.so.6: No such file or directory", status=127),
        "libstdc++.so.6",
    ),
    "zsh and another machine": (SAYS.format(message="zsh: exec format error: ./{name}", status=1), "Reinstall it"),
    "no node": ("#!/usr/bin/env nosuchnode\n", "Install nosuchnode"),
    "a broken interpreter line": ("#!/nowhere/bin/interpreter\n", "Install it"),
    "another machine": (
        SAYS.format(message=FOREIGN, status=126),
        "Install",
    ),
}
PROJECTS = {
    "cargo": {
        "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n",
    },
    "go": {"go.mod": "module example.com/calc\n\ngo 1.19\n", "calc_test.go": "package calc\n"},
    "npm": {"package.json": '{"scripts": {"test": "./check"}}'},
    "just": {"justfile": "test:\n  true\n"},
    "make": {"Makefile": "test:\n\ttrue\n"},
}
WRITES = """\
  - when: {after: 0}
    calls: [{tool: write_file, arguments: {path: FILE, content: "TEXT", overwrite: true}}]
    usage: {input: 10, output: 10}
"""


def prepare_project(tmp_path: Path, program: str, launcher: str) -> Shell:
    """Return a project, and its program as the launcher."""
    folder, home, programs = (tmp_path / name for name in ("folder", "home", "folder/.programs"))
    for place in (folder, home, programs):
        place.mkdir()
    for name, text in PROJECTS[program].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (programs / program).write_text(launcher.replace("{name}", program))
    (programs / program).chmod(0o755)
    return Shell(folder, home, {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"})


def run_task(openkoi: Shell, file: str, text: str) -> dict[str, object]:
    configure(openkoi, "")
    turns = WRITES.replace("FILE", file).replace("TEXT", text)
    process = openkoi(
        "-m", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "1", "--format", "json", "Tidy it up"
    )
    assert "Traceback" not in process.stderr
    return result(process)


CASES = [(program, launcher) for program in PROJECTS for launcher in LAUNCHERS]
ALWAYS = {
    ("cargo", "rustup"),
    ("go", "a newer system's build"),
    ("npm", "any toolchain"),
    ("npm", "no node"),
    ("make", "asdf"),
    ("make", "a snap that is not confined"),
    ("npm", "a snap without the program"),
    ("go", "a library that macOS misses"),
    ("just", "a broken interpreter line"),
}


@pytest.mark.parametrize(
    ("program", "launcher"),
    [one if one in ALWAYS else pytest.param(*one, marks=pytest.mark.campaign) for one in CASES],
)
def test_a_test_program_that_cannot_start_could_not_run(program: str, launcher: str, tmp_path: Path) -> None:
    if launcher == "a broken interpreter line" and shutil.which(program):
        pytest.skip(f"the next {program} of PATH is run in its place")
    text, remedy = LAUNCHERS[launcher]
    output = run_task(prepare_project(tmp_path, program, text), "note.md", "one")

    warnings = str(output["warnings"])
    assert f"The {program} tests were not run" in warnings
    assert remedy in warnings
    assert "fails" not in str(output["findings"])
    assert "required check" not in str(output["stop_reason"])


@pytest.mark.parametrize("launcher", ["rustup", "a rustup without the toolchain"])
def test_a_linter_that_cannot_start_was_not_run(launcher: str, tmp_path: Path) -> None:
    text, remedy = LAUNCHERS[launcher]
    openkoi = prepare_project(tmp_path, "cargo", text)
    (openkoi.folder / "clippy.toml").write_text("")
    output = run_task(openkoi, "src/lib.rs", "pub fn one() -> i32 { 1 }\\n")

    assert any("clippy was not run" in text and remedy in text for text in map(str, output["warnings"]))  # type: ignore[call-overload]
    assert "clippy" not in str(output["findings"])


@pytest.mark.parametrize("launcher", ["nodenv", "asdf", "no node"])
def test_a_configured_linter_that_cannot_start_was_not_run(launcher: str, tmp_path: Path) -> None:
    text, remedy = LAUNCHERS[launcher]
    openkoi = prepare_project(tmp_path, "just", text)
    configure(openkoi, '[evaluators.lint.commands]\nhouse = "just lint"\n')
    turns = WRITES.replace("FILE", "note.md").replace("TEXT", "one")
    output = result(
        openkoi(
            "-m", write_script_outside(openkoi, turns + DONE), "--no-judge", "-i", "1", "--format", "json", "Tidy up"
        )
    )

    assert any("house was not run" in text and remedy in text for text in map(str, output["warnings"]))  # type: ignore[call-overload]


def test_a_program_that_starts_and_fails_is_a_red_check(tmp_path: Path) -> None:
    output = run_task(
        prepare_project(tmp_path, "make", SAYS.format(message="make: *** [test] Error 1", status=2)), "note.md", "one"
    )

    assert "were not run" not in str(output["warnings"])


def test_no_check_is_told_to_pass_where_the_test_program_cannot_start(tmp_path: Path) -> None:
    openkoi = prepare_project(tmp_path, "cargo", LAUNCHERS["rustup"][0])
    configure(openkoi, "")
    turns = WRITES.replace("FILE", "src/lib.rs").replace("TEXT", "pub fn add() {}")
    result = openkoi("-m", write_script_outside(openkoi, turns + DONE), "-i", "1", "Tidy it up")

    assert "rustup default stable" in result.stdout + result.stderr
    assert "Not all checks could run" in result.stderr
    assert "checks pass" not in result.stdout + result.stderr
