"""A setting that nothing reads is named at every run, once, with the one that was probably meant."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ANSWER = '  - says: "Paris."\n    repeat: true\n'
QUESTION = "What is the capital of France?"
SLIPS = """
colour = "blue"
[iteration]
max_iteratons = 2
[safety.tool_lop]
warning = 3
[hooks.learning]
entrys = 3
[evaluators.judge]
voted = 2
[evaluators.lint]
enabled = false
"""
GATE = """
from openkoi_hookspecs import Ask, hookimpl

@hookimpl
def before_tool(call, tool, run):
    return Ask("This writes a file.") if tool.name == "write_file" else None
"""
WRITE = "  - when: {after: 0}\n    calls: [{tool: write_file, arguments: {path: a.txt, content: one}}]\n"
NAMED = (
    "colour in {file} is not a setting, so it has no effect.",
    "iteration.max_iteratons in {file} is not a setting, so it has no effect. Did you mean iteration.max_iterations?",
    "safety.tool_lop.warning in {file} is not a setting, so it has no effect. Did you mean safety.tool_loop.warning?",
    "hooks.learning.entrys in {file} is not a setting, so it has no effect. Did you mean hooks.learning.entries?",
    "evaluators.judge.voted in {file} is not a setting, so it has no effect. Did you mean evaluators.judge.votes?",
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def configure(openkoi: Shell, text: str) -> Path:
    """Write the user's configuration; return its path."""
    file = openkoi.home / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def warnings_of(openkoi: Shell, *line: str) -> list[str]:
    """Return the warnings of a run, each of which is on stderr once, too."""
    result = openkoi(*line, "--format", "json")
    assert result.stdout, result.stderr
    found: list[str] = json.loads(result.stdout)["warnings"]
    return found


def unread(openkoi: Shell, *line: str) -> list[str]:
    """Return the warnings that speak of settings without effect."""
    return [one for one in warnings_of(openkoi, *line) if "no effect" in one]


@pytest.mark.row("CFG-03")
def test_every_run_names_settings_that_nothing_reads_once(openkoi: Shell) -> None:
    file = configure(openkoi, SLIPS)
    write_script(openkoi.folder.parent, ANSWER)
    model = f"scripted/{openkoi.folder.parent / 'script.yaml'}"
    wanted = [text.format(file=file) for text in NAMED]

    result = openkoi("-m", model, "-i", "1", QUESTION, "--format", "json")
    task = json.loads(result.stdout)

    assert wanted == [one for one in task["warnings"] if "no effect" in one]
    assert [1] * len(wanted) == [result.stderr.count(text) for text in wanted]
    assert wanted == unread(openkoi, "fork", task["task_id"][:8], "--at", "1", "--set", "iteration.max_iterations=1")
    assert wanted == unread(openkoi, "evaluate", "--no-judge")


UNKNOWN, NOTHING = "is not a setting, so it has no effect.", "has no effect: nothing reads it in this version."
USELESS = {
    "[iterations]\nmax_iterations = 2\ntoken_budget = 9": (
        "[iterations]",
        "is not a table of settings, so it has no effect. Did you mean [iteration]?",
    ),
    "[providers.grok]\napi_key = 'k'\nbase_url = 'u'": (
        "[providers.grok]",
        "has no effect: no provider named grok is installed. Did you mean [providers.groq]?",
    ),
    "[a]\nx = 1": ("[a]", "is not a table of settings, so it has no effect."),
    "[evaluation.weights]\ntests = 0.3": ("evaluation.weights.tests", UNKNOWN),
    "[models.known.'a/{b}']\nprize = 1": (
        "models.known.a/{b}.prize",
        f"{UNKNOWN} Did you mean models.known.a/{{b}}.price?",
    ),
    "[integrations.slack]\nenabled = true\nchannels = []": (
        "[integrations.slack]",
        "has no effect: no integration named slack is installed.",
    ),
    "[patterns]\nenabled = true\nmin_samples = 3": ("[patterns]", NOTHING),
    "[[mcp.servers]]\nname = 'github'\ncomand = 'x'": (
        "mcp.servers.comand",
        f"{UNKNOWN} Did you mean mcp.servers.command?",
    ),
    "[mcp.servers.github]\nurls = 'x'": ("mcp.servers.github.urls", f"{UNKNOWN} Did you mean mcp.servers.github.url?"),
    "[use]\nmemory = 'sqlite'\n[hooks.learning]\nenabled = false\n[models]\nembedder = 'lexical'": (
        "models.embedder",
        "has no effect: no plugin in use reads it.",
    ),
    "[models.fallback]\nexecuter = ['openai/gpt-5']": (
        "models.fallback.executer",
        f"{UNKNOWN} Did you mean models.fallback.executor?",
    ),
    "[models.known.'a/b.c']\nprize = [0.0, 0.0]": (
        "models.known.a/b.c.prize",
        f"{UNKNOWN} Did you mean models.known.a/b.c.price?",
    ),
    "[sandboxes.laddr]\nenabled = true": (
        "[sandboxes.laddr]",
        "has no effect: no sandbox named laddr is installed. Did you mean [sandboxes.ladder]?",
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.row("CFG-03")
@pytest.mark.parametrize("text", USELESS)
def test_a_table_without_effect_is_named_once_with_the_reason(openkoi: Shell, text: str) -> None:
    file, (place, reason) = configure(openkoi, text), USELESS[text]
    model = write_script(openkoi.folder, ANSWER)

    assert [f"{place} in {file} {reason}"] == unread(openkoi, "-m", model, "-i", "0", QUESTION)


@pytest.mark.row("CFG-03")
def test_a_resumed_run_names_them_as_well(openkoi: Shell) -> None:
    asking = openkoi.with_plugin(GATE, hooks="acme")
    write_script(openkoi.folder.parent, WRITE + ANSWER)
    model = f"scripted/{openkoi.folder.parent / 'script.yaml'}"
    assert 8 == asking("-m", model, "-i", "0", "Write it").returncode
    assert 0 == asking("approve").returncode
    file = configure(openkoi, "[iteration]\nmax_iteratons = 2\n")

    named = NAMED[1].format(file=file)

    assert [named] == unread(asking, "resume", "-m", model)


@pytest.mark.row("CFG-02")
def test_a_variable_with_a_slip_is_named(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, ANSWER)
    output = openkoi.with_environment(OPENKOI_BUGDET="1", OPENKOI_LEDGER_DUEL="", OPENKOI_MY_OWN="x")

    named = "$OPENKOI_BUGDET is not read, so it has no effect. Did you mean $OPENKOI_BUDGET?"

    assert [named] == unread(output, "-m", model, "-i", "0", QUESTION)


@pytest.mark.row("CFG-03", "CFG-04")
def test_what_is_read_is_not_named(openkoi: Shell) -> None:
    template = Path(__file__).parent.parent / "plugins" / "bundle" / "openkoi_bundle" / "openkoi.toml"
    configure(openkoi, template.read_text())
    model = write_script(openkoi.folder, ANSWER)

    assert [] == warnings_of(openkoi, "-m", model, "-i", "0", QUESTION)


@pytest.mark.row("CFG-03")
def test_the_doctor_names_them_too(openkoi: Shell) -> None:
    file = configure(openkoi, "[iteration]\nmax_iteratons = 2\n")

    result = openkoi("doctor")

    assert 1 == result.returncode
    assert 1 == result.stdout.count(f"! {NAMED[1].format(file=file)}")


@pytest.mark.row("CFG-03", "CFG-05", "C64")
def test_a_deprecated_key_works_and_every_run_says_until_when(openkoi: Shell) -> None:
    file = configure(openkoi, "[safety]\nmax_tokens = 50\n")
    model = write_script(openkoi.folder, ANSWER)

    result = openkoi("-m", model, "-i", "0", QUESTION, "--format", "json")

    named = (
        f"safety.max_tokens in {file} has been deprecated since 2026.11.21: use iteration.token_budget. "
        "The old name works until 2028.11.21."
    )
    assert [named] == json.loads(result.stdout)["warnings"]
    assert "abort_budget" == json.loads(result.stdout)["decision"]
