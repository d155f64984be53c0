"""``openkoi bisect`` finds the plugin that gave a task a bad result, without a model where no request changes."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from cli_process import Shell
from documented_plugins import BASE, calling, configure, events_of, shell_with, turn

from openkoi_hookspecs import events

PLUGIN = """
from dataclasses import replace
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def after_execute(work):
    return replace(work, text={text})
"""
PROMPT = """
from openkoi_hookspecs import Section, hookimpl

@hookimpl
def before_plan():
    return [Section("{name}", "{text}")]
"""
SAME = PLUGIN.format(text="work.text")
ANSWER = "  - {says: Dear Sir., repeat: true}\n"
OFF = {"enabled": False}  # plugins of the workspace that are not in the default bundle
OTHERS = {"hooks": {"house-style": OFF}, "evaluators": {"word-count": OFF}, "tools": {"apps": OFF}}


def openkoi_with(folder: Path, plugins: Mapping[str, str], turns: str = ANSWER) -> Shell:
    """Return a command line where modules of hooks are installed, each as a distribution of its own."""
    openkoi = shell_with(folder, turns=turns)
    configure(openkoi, BASE, OTHERS)
    site = folder / "site"
    for name, text in plugins.items():
        info = site / f"acme_{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{name}.py").write_text(text)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-{name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[openkoi.hooks]\n{name} = {name}\n")
    return openkoi.seeing(site)


def replayed(errors: str) -> int:
    """Return how many replays were made, besides that of the recorded task."""
    return sum(line.startswith("[") and "/" in line.partition("]")[0] for line in errors.splitlines())


def test_one_bad_plugin_among_sixty_four_is_found_in_seven_replays_without_a_model(tmp_path: Path) -> None:
    plugins = {f"plugin{number:02}": SAME for number in range(64)} | {
        "plugin41": PLUGIN.format(text="work.text + ' Hey!'")
    }
    openkoi = openkoi_with(tmp_path, plugins)
    openkoi("Write a letter")
    calls = len(events_of(openkoi, events.ModelResponse))

    result = openkoi("bisect", "--check", "! grep -q Hey")

    assert 0 == result.returncode, result.stderr
    assert result.stdout.splitlines() == [
        "hooks.plugin41 (acme-plugin41) causes the bad result.",
        "To disable it, run `openkoi plugin disable hooks.plugin41`.",
    ]
    assert replayed(result.stderr) <= 7
    assert calls == len(events_of(openkoi, events.ModelResponse))
    assert not [one for one in Path("/tmp").glob("openkoi-bisect-*") if str(one) in result.stderr]


def test_two_that_are_bad_only_together_are_named(tmp_path: Path) -> None:
    plugins = {f"plugin{number}": SAME for number in range(6)}
    plugins |= {"plugin1": PLUGIN.format(text="work.text + '(draft)'")}
    plugins |= {"plugin4": PLUGIN.format(text="work.text.replace('(draft)', ' Rubbish')")}
    openkoi = openkoi_with(tmp_path, plugins)
    openkoi("Write a letter")

    result = openkoi("bisect", "--check", 'test $(grep -c Rubbish "$OPENKOI_ANSWER") = 0')

    found, advice = result.stdout.splitlines()
    assert found.startswith("hooks.plugin1 (acme-plugin1) and hooks.plugin4 (acme-plugin4) together cause"), result
    commands = " or ".join(f"`openkoi plugin disable hooks.plugin{number}`" for number in (1, 4))
    assert f"To disable one of them, run {commands}." == advice
    places = [line[1:].partition("]")[0].partition("/") for line in result.stderr.splitlines() if line[1:2].isdigit()]
    assert [int(done) for done, _, _ in places] == [*range(1, len(places) + 1)]
    assert all(not most or int(done) <= int(most) for done, _, most in places), result.stderr


def test_the_files_are_as_they_were_and_those_of_the_user_stay(tmp_path: Path) -> None:
    write = turn(calling("write_file", path="new.txt", content="new\n"), when="contains: Write it, after: 0")
    openkoi = openkoi_with(tmp_path, {"loud": PLUGIN.format(text="work.text.upper()"), "quiet": SAME}, write + ANSWER)
    (openkoi.folder / "b.txt").write_text("mine\n")
    openkoi("Write it")
    (openkoi.folder / "b.txt").write_text("changed since\n")

    result = openkoi("bisect")

    assert result.stdout.startswith("hooks.loud (acme-loud) causes the bad result."), result
    assert "a result is bad if it equals the recorded result" in result.stderr
    assert ["new\n", "changed since\n"] == [(openkoi.folder / name).read_text() for name in ("new.txt", "b.txt")]


LOUD = '  - {when: {contains: "Shout at them."}, says: Hey!, repeat: true}\n'


@pytest.fixture(name="prompted")
def run_prompted(tmp_path: Path) -> Shell:
    """Return a command line whose last task was spoiled by one of five plugins that change the prompt."""
    plugins = {f"plugin{number}": PROMPT.format(name=f"plugin{number}", text="Be kind.") for number in range(5)}
    plugins |= {"plugin3": PROMPT.format(name="plugin3", text="Shout at them.")}
    openkoi = openkoi_with(tmp_path, plugins, LOUD + ANSWER)
    assert "Hey!\n" == openkoi("Write a letter").stdout
    return openkoi


def test_before_a_model_is_called_the_price_is_stated(prompted: Shell) -> None:
    result = prompted("bisect", "--check", "! grep -q Hey")

    assert (1, "") == (result.returncode, result.stdout)
    assert "The request to the executor differs from the recorded ones" in result.stderr
    assert "up to 6 replays at about $0.00 each, $0.0" in result.stderr
    assert "run the command again with --yes or --budget" in result.stderr


def test_with_consent_models_are_called_and_the_cause_is_proven_twice(prompted: Shell) -> None:
    result = prompted("bisect", "--check", "! grep -q Hey", "--yes")

    assert result.stdout.startswith("hooks.plugin3 (acme-plugin3) causes the bad result.\n"), result
    assert replayed(result.stderr) <= 6
    assert result.stderr.splitlines()[-1].endswith("with 4 of 5 plugins: good")
    spent = prompted("bisect", "--check", "! grep -q Hey", "--budget", "0.000001")
    assert (1, True) == (
        spent.returncode,
        "Model calls have used $0.00 of $0.00, and the search cannot continue" in spent.stderr,
    )


@pytest.mark.parametrize(
    ("check", "status", "shown"),
    [
        ("true", 1, "does not reproduce the bad result"),
        ("grep -q Kind", 1, "Undecided: the result is bad even without any of these plugins."),
        ("exit 127", 1, "cannot judge a result"),
    ],
)
def test_what_is_not_a_plugin_s_fault_is_said(tmp_path: Path, check: str, status: int, shown: str) -> None:
    openkoi = openkoi_with(tmp_path, {"one": SAME, "two": SAME})
    openkoi("Write a letter")

    result = openkoi("bisect", "--check", check)

    assert status == result.returncode
    assert shown in result.stdout + result.stderr


def test_without_plugins_of_others_or_a_task_that_is_said(tmp_path: Path) -> None:
    openkoi = shell_with(tmp_path)
    configure(openkoi, BASE, OTHERS)

    assert "No tasks yet." in openkoi("bisect").stderr
    openkoi("Write a letter")
    assert "Only OpenKoi's own plugins are in use." in openkoi("bisect").stderr
