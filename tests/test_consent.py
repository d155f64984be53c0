"""Test that consent is stored once for all processes, bound to its content, listed and revoked in one place."""

import json
import os
import time
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

from openkoi_testing.servers import AnthropicServer

if os.name != "posix":
    pytest.skip("processes as POSIX has them", allow_module_level=True)

PLUGIN = '''
import json
from hashlib import sha256
from pathlib import Path
import click
from openkoi_hookspecs import Koi, Question, Run, Section, hookimpl, is_yes

FILE = Path("orders.txt")


def question() -> Question:
    digest = sha256(b"acme orders " + FILE.read_bytes()).hexdigest()
    return Question(f"Follow {FILE}?", choices=("yes", "no"), keep=True, digest=digest)


@hookimpl
async def before_plan(run: Run) -> list[Section]:
    """Show the orders that the user trusts."""
    if not FILE.exists() or not is_yes(await run.ask(question())):
        return []
    return [Section("orders", FILE.read_text())]


@click.command()
@click.option("--says", default="")
@click.pass_obj
async def acme(koi: Koi, says: str) -> None:
    """Ask about the orders; with an answer, a frontend gives it."""
    asked = []

    async def user(asking):
        asked.append(asking.text)
        return says

    if says:
        koi.attend(user)
    answer = await koi.ask(question())
    known = koi.consent(question().digest)
    click.echo(json.dumps({"answer": answer, "asked": asked, "known": known}))
'''
TOKEN = "sk-ant-oat01-" + "Kx4" * 20


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A plugin that asks for consent is installed; its orders are in the folder."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.folder / "orders.txt").write_text("Write in verse.")
    write_script(tmp_path, "  - when: {contains: Write in verse}\n    says: A verse.\n  - says: Prose.\n")
    (openkoi.home / "config.toml").write_text("[evaluators.judge]\nenabled = false\n[iteration]\nmax_iterations = 0\n")
    plugin = openkoi.with_plugin(PLUGIN, commands="acme:acme", hooks="acme")
    return plugin.with_environment(OPENKOI_MODEL=f"scripted/{tmp_path / 'script.yaml'}")


def plugin_answer(openkoi: Shell, *words: str) -> dict[str, object]:
    """Return the output of the plugin's command."""
    result = openkoi("acme", *words)
    assert 0 == result.returncode, result.stderr
    return dict(json.loads(result.stdout))


def stored_consents(openkoi: Shell) -> list[dict[str, str]]:
    return list(json.loads(openkoi("trust", "--format", "json").stdout)["trust"])


def last_words(openkoi: Shell) -> str:
    """Return the last words of a task."""
    result = openkoi("Tell us about the tea")
    assert 0 == result.returncode, result.stderr
    return result.stdout.strip()


def test_an_answer_is_kept_for_other_processes_and_for_runs_until_the_content_changes(openkoi: Shell) -> None:
    assert "Prose." == last_words(openkoi)
    assert {"answer": None, "asked": [], "known": None} == plugin_answer(openkoi)
    assert {"answer": "yes", "asked": ["Follow orders.txt?"], "known": "yes"} == plugin_answer(openkoi, "--says", "yes")
    assert {"answer": "yes", "asked": [], "known": "yes"} == plugin_answer(openkoi, "--says", "no")
    assert "A verse." == last_words(openkoi)

    (openkoi.folder / "orders.txt").write_text("Write in verse, and long.")
    assert {"answer": None, "asked": [], "known": None} == plugin_answer(openkoi)
    assert "Prose." == last_words(openkoi)


def test_what_was_allowed_is_listed_and_revoked(openkoi: Shell) -> None:
    nothing = openkoi("trust").stdout
    plugin_answer(openkoi, "--says", "yes")
    [one] = stored_consents(openkoi)
    output = openkoi("trust").stdout
    revoked = openkoi("trust", "revoke", one["id"][:6])

    assert "No saved answers.\n" == nothing
    assert ("yes", "Follow orders.txt?") == (one["answer"], one["question"])
    assert f"{one['id'][:8]}  yes  just now         Follow orders.txt?\n" in output
    assert (0, f"Revoked {one['id'][:8]}: Follow orders.txt?\n") == (revoked.returncode, revoked.stdout)
    assert [] == stored_consents(openkoi)
    assert {"answer": "no", "asked": ["Follow orders.txt?"], "known": "no"} == plugin_answer(openkoi, "--says", "no")
    assert (0, []) == (openkoi("trust", "revoke", "--all").returncode, stored_consents(openkoi))


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["trust", "revoke", "4f2a"], 2, "No consent named '4f2a'."),
        (["trust", "revoke"], 2, "or --all"),
        (["trust", "revoke", "--all"], 1, "No saved answers."),
        (["trust", "nobody"], 2, "trust"),
    ],
)
def test_a_line_that_means_nothing_says_what_would(openkoi: Shell, line: list[str], status: int, words: str) -> None:
    result = openkoi(*line)

    assert (status, True) == (result.returncode, words in result.stderr), result


def test_an_unclear_answer_is_not_kept(openkoi: Shell) -> None:
    assert {"answer": "perhaps", "known": None} == {
        key: value for key, value in plugin_answer(openkoi, "--says", "perhaps").items() if key != "asked"
    }
    assert [] == stored_consents(openkoi)


def test_skills_that_a_project_brings_are_in_the_same_list(openkoi: Shell) -> None:
    skill = openkoi.folder / ".agents" / "skills" / "pour" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: pour\ndescription: Pours tea.\n---\nWarm the pot.\n")
    openkoi("skill", "trust", "--yes")
    [one] = stored_consents(openkoi)
    used = openkoi("skill", "list").stdout
    openkoi("trust", "revoke", one["id"])

    assert f"skill pour  {skill.parent}" == one["question"]
    assert "pour  Pours tea.  [workspace]" in used
    assert "pour  not used: its current content is not approved" in openkoi("skill", "list").stdout


def claude_login(home: Path) -> None:
    """A login in the format of the Claude CLI."""
    (home / ".claude").mkdir()
    login = {"claudeAiOauth": {"accessToken": TOKEN, "expiresAt": 4_102_444_800_000}}
    (home / ".claude" / ".credentials.json").write_text(json.dumps(login))


def test_a_login_of_another_program_is_not_used_without_consent_and_with_it_from_elsewhere(tmp_path: Path) -> None:
    openkoi = shell(tmp_path)
    claude_login(tmp_path)
    line = ("-i", "0", "What is a teahouse?")
    with AnthropicServer("A teahouse.", models=["claude-sonnet-4-5"], key=TOKEN) as server:
        newcomer = openkoi.with_environment(ANTHROPIC_BASE_URL=server.url)
        refused = newcomer(*line)
        (openkoi.home / "config.toml").write_text("[approvals]\nwait_seconds = 60\n")
        child = newcomer.started(*line)
        approve(newcomer)
        out, err = child.communicate(timeout=60)
        (openkoi.home / "config.toml").write_text("[approvals]\nwait_seconds = 0\n")
        again = newcomer(*line)

    assert (8, True) == (refused.returncode, "Use it for anthropic? No answer" in refused.stderr)
    assert (0, "A teahouse.\n") == (child.returncode, out), err
    assert (0, "A teahouse.\n") == (again.returncode, again.stdout), again.stderr
    assert ["yes"] == [one["answer"] for one in stored_consents(openkoi)]


def approve(openkoi: Shell) -> None:
    """Approve each question as soon as it is asked."""
    until = time.monotonic() + 60
    while (result := openkoi("approve")).returncode:
        assert time.monotonic() < until, result.stderr
        time.sleep(0.1)
