"""Test errors for users: no secrets, and no advice that does not apply."""

from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ANSWER = '  - says: "Paris."\n    repeat: true\n'
KEY = "s3cr3t-value-of-acme"
PROVIDER = """
from typing import Annotated
from openkoi_hookspecs import Env, Model

class Acme:
    def __init__(self, *, api_key: Annotated[str, Env("ACME_LOGIN", secret=True)]) -> None:
        self.key = api_key

    async def models(self):
        return [Model("one", context=1000, output=100)]

    async def chat(self, request):
        raise ValueError(f"the key {self.key} was refused")
        yield
"""


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def test_a_traceback_shows_where_and_no_key(openkoi: Shell) -> None:
    acme = openkoi.with_plugin(PROVIDER, providers="acme:Acme").with_environment(ACME_LOGIN=KEY)
    result = acme("-m", "acme/one", "--verbose", "do it")

    assert 1 == result.returncode
    assert "acme.py" in result.stderr
    assert "ValueError: the key [redacted] was refused" in result.stderr
    assert KEY not in result.stderr


def test_an_error_before_anything_is_configured_shows_no_key(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(f"{KEY} = [\n")
    result = openkoi.with_environment(ACME_API_KEY=str(openkoi.home))("--verbose", "do it")

    assert 2 == result.returncode
    assert "Traceback" in result.stderr
    assert str(openkoi.home) not in result.stderr


def test_an_accident_is_told_in_a_sentence_with_how_to_see_more(openkoi: Shell) -> None:
    code = "import click\n@click.command()\ndef command():\n    raise ValueError('the wheel came off')\n"
    result = openkoi.with_plugin(code, commands="acme:command")("acme")

    sentence = "Error: internal error: ValueError: the wheel came off"
    assert (1, f"{sentence}\nRun again with --verbose to see a traceback.\n") == (result.returncode, result.stderr)


def test_a_file_that_the_user_may_not_read_is_no_internal_error(openkoi: Shell) -> None:
    code = (
        "import click\n@click.command()\ndef command():\n    raise PermissionError(13, 'Permission denied', '/x/y')\n"
    )
    result = openkoi.with_plugin(code, commands="acme:command")("acme")

    sentence = "Error: Cannot access /x/y: Permission denied. Fix its permissions.\n"
    assert (1, sentence) == (result.returncode, result.stderr)


def test_the_list_of_plugins_shows_no_key(openkoi: Shell) -> None:
    code = "import os\nraise ValueError(os.environ['ACME_API_KEY'])\n"
    result = openkoi.with_plugin(code, hooks="acme").with_environment(ACME_API_KEY=KEY)("plugins")

    assert "! ValueError: [redacted]" in result.stdout
    assert KEY not in result.stdout


def test_doctor_goes_on_where_the_configuration_is_broken_and_names_it(openkoi: Shell) -> None:
    openkoi.home.mkdir(parents=True, exist_ok=True)
    (openkoi.home / "config.toml").write_text("[models\n")
    result = openkoi("doctor")

    assert 1 == result.returncode
    assert "Invalid TOML in" in result.stdout
    assert "Memory:" in result.stdout


def test_doctor_names_what_nothing_reads(openkoi: Shell) -> None:
    openkoi.home.mkdir(parents=True, exist_ok=True)
    (openkoi.home / "config.toml").write_text('[models]\ndefalt = "a/b"\n')
    result = openkoi("doctor")

    assert "Did you mean models.default?" in result.stdout


@pytest.mark.parametrize("line", [["--config", "none.toml", "do it"], ["doctor", "--config=none.toml"]])
def test_a_configuration_that_is_not_there_is_named(openkoi: Shell, line: list[str]) -> None:
    result = openkoi(*line)

    assert 2 == result.returncode
    assert "Config file not found: none.toml (from --config)." in result.stderr


def test_so_is_one_that_a_variable_names(openkoi: Shell) -> None:
    named = openkoi.with_environment(OPENKOI_HOME="", OPENKOI_CONFIG="none.toml", OPENKOI_DATA=str(openkoi.home))
    result = named("-m", write_script(openkoi.folder, ANSWER), "do it")

    assert 2 == result.returncode
    assert "Config file not found: none.toml (from OPENKOI_CONFIG)." in result.stderr


@pytest.mark.parametrize("line", [["do it", "--config"], ["do it", "--config="]])
def test_a_configuration_without_a_path_is_a_usage_error(openkoi: Shell, line: list[str]) -> None:
    result = openkoi("-m", write_script(openkoi.folder, ANSWER), *line)

    assert (2, "") == (result.returncode, result.stdout)
    assert "--config requires the path" in result.stderr


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (["Fix it", "--bogus"], ""),
        (["Fix", "the", "run", "--bogus"], ""),
        (["-m", "run", "Fix", "--bogus"], ""),
        (["run", "Fix it", "--bogus"], "run"),
        (["status", "of", "the", "build"], "status"),
        (["demo", "of", "the", "build"], "demo"),
    ],
)
def test_how_to_quote_is_said_to_those_who_wrote_a_command_s_word(openkoi: Shell, line: list[str], named: str) -> None:
    result = openkoi(*line)

    assert 2 == result.returncode
    assert bool(named) == (f'To run a task that starts with "{named}"' in result.stderr)
    assert bool(named) == ("quote it" in result.stderr)


@pytest.mark.parametrize("option", ["--record", "--replay"])
def test_a_model_that_takes_no_cassette_is_refused_with_one(option: str, openkoi: Shell) -> None:
    result = openkoi("-m", write_script(openkoi.folder, ANSWER), option, "tape.jsonl", "What is it?")

    assert 2 == result.returncode
    assert f"it does not support {option}" in result.stderr
    assert not (openkoi.folder / "tape.jsonl").exists()


RAISING = """
import click
from openkoi_hookspecs import KoiError

@click.command()
def do() -> None:
    raise KoiError("\\x1b]52;c;aGk=\\x07\\x1b[2Jgone")
"""


def test_an_error_that_repeats_foreign_text_cannot_control_the_terminal(openkoi: Shell) -> None:
    done = openkoi.with_plugin(RAISING, commands="acme:do")("acme")

    assert (1, "Error: gone\n") == (done.returncode, done.stderr)


LINES = "the wheel came off\\n[done] 1 iteration\\r[done] again\\nerror: none\\x1b[2J"
HOOK = f"""
from openkoi_hookspecs import hookimpl

@hookimpl
def before_plan(task):
    raise ValueError("{LINES}")
"""
REFUSED = PROVIDER.replace("import Env, Model", "import Env, Model, RequestRejectedError")
WARNING = f"""
from openkoi_hookspecs import hookimpl

@hookimpl
def before_plan(task, run):
    run.koi.warn("{LINES}")
"""


@pytest.mark.parametrize(
    ("code", "plugin"),
    [
        (PROVIDER.replace('f"the key {self.key} was refused"', f'"{LINES}"'), "providers"),
        (
            REFUSED.replace('ValueError(f"the key {self.key} was refused")', f'RequestRejectedError("{LINES}")'),
            "providers",
        ),
        (HOOK, "hooks"),
        (WARNING, "hooks"),
    ],
)
def test_no_further_line_of_an_error_looks_like_a_line_of_openkoi(code: str, plugin: str, openkoi: Shell) -> None:
    scripted = ["-m", write_script(openkoi.folder, ANSWER)]
    target = "acme:Acme" if plugin == "providers" else "acme"
    acme = openkoi.with_plugin(code, **{plugin: target}).with_environment(ACME_LOGIN=KEY)
    result = acme(*(["-m", "acme/one"] if plugin == "providers" else scripted), "do it")

    assert "\n    [done] 1 iteration\n    [done] again\n    error: none" in result.stderr
    assert "\n[done] again" not in result.stderr
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("error", ["ValueError", "KoiError", "ConfigError", "click.ClickException", "click.UsageError"])
def test_nor_does_one_of_an_error_that_no_run_reports(error: str, openkoi: Shell) -> None:
    code = f"""
import click
from openkoi_hookspecs import ConfigError, KoiError
@click.command()
def command():
    raise {error}("{LINES}")
"""
    result = openkoi.with_plugin(code, commands="acme:command")("acme")

    assert "\n    [done] 1 iteration\n    [done] again\n    error: none" in result.stderr


def test_doctor_shows_the_further_lines_of_a_provider_below_its_first(openkoi: Shell) -> None:
    code = PROVIDER.replace('return [Model("one", context=1000, output=100)]', f'raise ValueError("{LINES}")')
    acme = openkoi.with_plugin(code, providers="acme:Acme").with_environment(ACME_LOGIN=KEY)
    result = acme("doctor")

    forged = [line for line in result.stdout.splitlines() if line.strip().startswith(("[done]", "error: none"))]
    assert 3 == len(forged)
    assert all(line.startswith("      ") for line in forged)


def test_further_problems_of_a_file_are_shown_below_the_first(openkoi: Shell) -> None:
    (openkoi.folder / "a.yaml").write_text("agent: 1\nname: 2\n")
    result = openkoi("run", "a.yaml", "Fix it")

    first, second, *_ = result.stderr.splitlines()
    assert first.startswith("Error: a.yaml, line 1")
    assert second.startswith("    a.yaml, line 1")


@pytest.mark.parametrize("home", ["", "relative", "./here"])
@pytest.mark.parametrize(
    "line", [["status"], ["config", "set", "iteration.max_iterations", "5"], ["doctor"], ["Do it"]]
)
def test_a_home_folder_that_is_not_absolute_is_an_error_and_nothing_is_written(
    home: str, line: list[str], openkoi: Shell
) -> None:
    lost = openkoi.with_environment(HOME=home, OPENKOI_HOME="", XDG_CONFIG_HOME="", XDG_DATA_HOME="also/relative")
    result = lost(*line)

    assert 2 == result.returncode
    assert f"HOME is '{home}', which is not an absolute path." in result.stderr
    assert [] == [*openkoi.folder.iterdir()]
