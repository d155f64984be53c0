"""``openkoi plugin`` writes packages that work and pass their certification, and certifies no broken ones."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_process import Shell, shell

KINDS = ("bundle", "command", "evaluator", "hook", "judge", "tool")


def write_plugin(openkoi: Shell, kind: str) -> Shell:
    """Write a plugin and install it as an editable installation does; return a command line that sees it."""
    assert openkoi("plugin", "new", kind, f"my-{kind}").returncode == 0
    folder = openkoi.folder / f"my-{kind}"
    info = folder / "src" / f"my_{kind}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: my-{kind}\nVersion: 0.1.0\n")
    project = (folder / "pyproject.toml").read_text()
    group, target = project.split('"openkoi.')[1].split('"]\n')[0], project.split(f"\nmy-{kind} = ")[1].split("\n")[0]
    (info / "entry_points.txt").write_text(f"[openkoi.{group}]\nmy-{kind} = {target.strip(chr(34))}\n")
    return openkoi.seeing(folder / "src")


@pytest.mark.parametrize(
    "kind", ["bundle", "command", "tool"]
)  # the other kinds are certified from wheels: test_composition.py
def test_a_new_plugin_works_and_is_certified(tmp_path: Path, kind: str) -> None:
    openkoi = write_plugin(shell(tmp_path), kind)

    result = openkoi.cold("plugin", "certify", f"my-{kind}", seconds=120)

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith(f"my-{kind} 0.1.0\n")
    assert result.stdout.endswith("✓ Certified.\n")
    assert f"my-{kind} 0.1.0" in openkoi("plugin", "list").stdout


def test_a_folder_without_a_package_is_named(tmp_path: Path) -> None:
    result = shell(tmp_path)("plugin", "certify", ".")

    assert 1 == result.returncode
    missing = f"! There is no pyproject.toml in {tmp_path / 'folder'}. Give the folder of a plugin.\nNot certified.\n"
    assert missing == result.stdout


def test_a_bundle_is_certified_with_other_settings_and_a_server(tmp_path: Path) -> None:
    openkoi = write_plugin(shell(tmp_path), "bundle")
    settings = openkoi.folder / "my-bundle" / "src" / "my_bundle" / "bundle.toml"
    server = '[mcp.servers.tides]\ncommand = "uvx"\nargs = ["tides"]\n'
    settings.write_text(f"[iteration]\nquality_threshold = 0.85\n{server}")

    result = openkoi.cold("plugin", "certify", "my-bundle", seconds=120)

    assert result.returncode == 0, result.stdout + result.stderr


def test_a_bundle_that_is_certified_beside_a_rival_names_it(tmp_path: Path) -> None:
    openkoi = write_plugin(shell(tmp_path), "bundle")
    rival = tmp_path / "folder" / "my-bundle" / "src" / "rival"
    rival.mkdir()
    (rival / "bundle.toml").write_text("[iteration]\nmax_iterations = 1\n")
    info = rival.with_name("rival-1.0.dist-info")
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rival\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[openkoi.bundles]\nzz-rival = rival\n")

    result = openkoi.cold("plugin", "certify", "my-bundle", seconds=120)

    assert 1 == result.returncode
    assert f"used instead: ['iteration.max_iterations = 1  # {rival / 'bundle.toml'}']" in result.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_formatted(tmp_path: Path, kind: str) -> None:
    openkoi = shell(tmp_path)
    assert openkoi("plugin", "new", kind, f"my-{kind}").returncode == 0
    folder = openkoi.folder / f"my-{kind}"

    for command in (["ruff", "check"], ["ruff", "format", "--check"]):
        result = subprocess.run(
            [str(Path(sys.executable).with_name(command[0])), *command[1:], "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout


@pytest.mark.parametrize(
    ("kind", "old", "new", "advice"),
    [
        ("evaluator", "len(text.split()) <= self.limit", "'!' not in text", "find_problems accepts bad_example."),
        ("evaluator", 'good_example = "', 'good_example = "word " * 501 + "', "find_problems rejects good_example: "),
        ("tool", 'f"{len(text.split())} words"', "text.upper()", "Edit call and EXAMPLE together: "),
    ],
)
def test_who_edits_the_function_alone_is_told_to_edit_its_examples(
    tmp_path: Path, kind: str, old: str, new: str, advice: str
) -> None:
    openkoi = write_plugin(shell(tmp_path), kind)
    module = openkoi.folder / f"my-{kind}" / "src" / f"my_{kind}" / "__init__.py"
    module.write_text(module.read_text().replace(old, new))

    result = openkoi.cold("plugin", "certify", f"my-{kind}", seconds=120)

    assert result.returncode == 1
    (problem,) = [line for line in result.stdout.splitlines() if line.startswith("! test_")]
    assert advice in problem
    assert problem.endswith(f"src/my_{kind}/__init__.py")


def never_registered(folder: Path) -> None:
    text = (folder / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(text.replace('entry-points."openkoi.evaluators"', 'entry-points."other"'))


def raises_at_import(folder: Path) -> None:
    (folder / "src" / "my_evaluator" / "__init__.py").write_text("raise ValueError('not today')\n")


def breaks_the_contract(folder: Path) -> None:
    module = folder / "src" / "my_evaluator" / "__init__.py"
    module.write_text(
        module.read_text().replace("return Evaluation(checks", "raise ValueError\n        return Evaluation(checks")
    )


def has_no_suite(folder: Path) -> None:
    (folder / "tests" / "test_my_evaluator.py").write_text("def test_nothing() -> None:\n    pass\n")


def has_no_tests(folder: Path) -> None:
    (folder / "tests" / "test_my_evaluator.py").unlink()


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (never_registered, "registers no plugin"),
        (raises_at_import, "cannot be loaded: ValueError: not today"),
        (breaks_the_contract, "The tests do not pass."),
        (has_no_suite, "no test inherits EvaluatorContract"),
        (has_no_tests, "There are no tests."),
    ],
)
def test_a_broken_package_is_not_certified(tmp_path: Path, harm: Callable[[Path], None], problem: str) -> None:
    openkoi = write_plugin(shell(tmp_path), "evaluator")
    harm(openkoi.folder / "my-evaluator")

    result = openkoi.cold("plugin", "certify", "my-evaluator", seconds=120)

    assert result.returncode == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("! ") and problem in line]
    assert result.stdout.endswith("Not certified.\n")


@pytest.mark.parametrize("kind", ["bundle", "command", "evaluator", "hook", "judge", "tool"])
@pytest.mark.parametrize("name", ["calendar", "json", "pytest", "openkoi-cli", "openkoi"])
def test_a_name_of_a_module_that_python_has_is_refused(tmp_path: Path, kind: str, name: str) -> None:
    openkoi = shell(tmp_path)

    refused = openkoi("plugin", "new", kind, name)

    assert 2 == refused.returncode
    assert f"Python already has a module {name.replace('-', '_')}. Try my-{name}." in refused.stderr
    assert not [*openkoi.folder.iterdir()]


@pytest.mark.parametrize("kind", ["script", "wasm"])
def test_what_is_not_a_python_package_may_have_the_name_of_a_module(tmp_path: Path, kind: str) -> None:
    assert 0 == shell(tmp_path)("plugin", "new", kind, "calendar").returncode


@pytest.mark.parametrize("name", ["My_Style", "my style", "class", "../up", "", "my--style"])
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, name: str) -> None:
    openkoi = shell(tmp_path)

    refused = openkoi("plugin", "new", "hook", name)

    assert refused.returncode == 2
    assert "is not a plugin name" in refused.stderr
    assert not [*openkoi.folder.iterdir()]


@pytest.mark.parametrize(
    ("text", "issue"), [(None, "There is no pyproject.toml in"), ("x = [", "pyproject.toml cannot be read")]
)
def test_a_folder_without_a_readable_project_is_not_certified(tmp_path: Path, text: str | None, issue: str) -> None:
    openkoi = shell(tmp_path)
    (openkoi.folder / "mine").mkdir()
    if text:
        (openkoi.folder / "mine" / "pyproject.toml").write_text(text)

    result = openkoi.cold("plugin", "certify", "mine")

    assert result.returncode == 1
    assert issue in result.stdout
    assert "Traceback" not in result.stderr


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    (openkoi.folder / "file").write_text("")

    refused = openkoi("plugin", "new", "hook", "mine", "--into", "file")

    assert refused.returncode == 1
    assert "file/mine cannot be written: Not a directory" in refused.stderr


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    (openkoi.folder / "mine").mkdir()

    refused = openkoi("plugin", "new", "hook", "mine")

    assert refused.returncode == 2
    assert "already exists" in refused.stderr
    assert not [*(openkoi.folder / "mine").iterdir()]


@pytest.mark.parametrize(
    ("name", "line"), [("openkoi-slack", "integrations slack"), ("openkoi-guard", "License-Expression MIT")]
)
def test_a_long_word_is_apart_from_what_follows_it(tmp_path: Path, name: str, line: str) -> None:
    assert line in shell(tmp_path)("plugin", "info", name).stdout.splitlines()


def test_a_plugin_is_described_disabled_and_enabled(tmp_path: Path) -> None:
    openkoi = write_plugin(shell(tmp_path), "hook")

    assert openkoi("plugin", "info", "my-hook").stdout.startswith("my-hook 0.1.0\n")
    assert openkoi("plugin", "disable", "my-hook").returncode == 0
    assert "my-hook          disabled by hooks.my-hook.enabled" in openkoi("plugin", "list").stdout
    assert not [line for line in openkoi.cold("doctor", "--hooks").stdout.splitlines() if line.startswith("my-hook ")]
    assert openkoi("plugin", "enable", "hooks.my-hook").returncode == 0
    assert [line for line in openkoi.cold("doctor", "--hooks").stdout.splitlines() if line.startswith("my-hook ")]


@pytest.mark.parametrize("command", ["info", "enable", "disable"])
def test_a_plugin_that_is_not_installed_is_named(tmp_path: Path, command: str) -> None:
    refused = shell(tmp_path)("plugin", command, "heron")

    assert refused.returncode == 2
    assert "No plugin named 'heron' is installed" in refused.stderr


def test_an_unknown_kind_lists_the_known_ones(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    refused = openkoi("plugin", "docs", "heron")

    kinds = dict(line.split(maxsplit=1) for line in openkoi("plugin", "docs").stdout.splitlines())
    assert {"budget", "bundle", "hook", "integration", "wasm"} <= kinds.keys()
    assert all(text.endswith(".") for text in kinds.values())
    assert refused.returncode == 2
    assert "Unknown kind of plugin: 'heron'. Choose from: budget, " in refused.stderr
