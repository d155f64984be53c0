"""The command line from outside: what is printed where, and with which status it ends."""

import json
import subprocess
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

ANSWER = '  - says: "Paris."\n    usage: {input: 1200, output: 80}\n    repeat: true\n'
KEYS = {
    "costs",
    *("schema", "ok", "accepted", "decision", "stop_reason", "task_id", "session_id", "output", "score", "iterations"),
    *(
        "findings",
        "usage",
        "cost_usd",
        "saved_tokens",
        "learnings",
        "changed_files",
        "models",
        "evaluators",
        "warnings",
    ),
    "transcript",
}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def test_the_result_is_on_stdout_and_progress_on_stderr(openkoi: Shell) -> None:
    result = openkoi("-m", write_script(openkoi.folder, ANSWER), "What is the capital of France?")

    assert (0, "Paris.\n") == (result.returncode, result.stdout)
    assert "[recall] 0 similar tasks" in result.stderr
    assert "[done] 1 iteration, 1.3k tokens, <$0.01" in result.stderr


@pytest.mark.row("CLI-44", "CLI-01")
def test_options_stand_before_or_after_the_task_and_words_are_joined(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "what is it"}\n    says: "It."\n')

    assert "It.\n" == openkoi("what", "is", "it", "--iterate", "0", "-m", model).stdout
    assert "It.\n" == openkoi("-m", model, "--", "what", "is", "it").stdout


@pytest.mark.row("C57")
@pytest.mark.parametrize("line", [["status of the build?"], ["--", "status"], ["--", "run", "status"]])
def test_a_task_may_begin_with_a_command_s_word(openkoi: Shell, line: list[str]) -> None:
    model = write_script(openkoi.folder, ANSWER)

    assert "Paris.\n" == openkoi("-m", model, *line).stdout


@pytest.mark.row("C57")
def test_a_usage_error_of_a_command_says_how_to_give_a_task(openkoi: Shell) -> None:
    result = openkoi("status", "of", "the", "build")

    assert 2 == result.returncode
    assert "quote it or put -- before it" in result.stderr


@pytest.mark.row("CLI-21")
def test_what_is_piped_in_is_context(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: ["Fix this bug", "it is 42"]}\n    says: "Seen."\n')

    assert "Seen.\n" == openkoi("-m", model, "-i", "0", "Fix this bug", stdin="it is 42").stdout


@pytest.mark.row("CLI-18")
@pytest.mark.parametrize("how", [["--stdin"], ["-"]])
def test_the_task_itself_may_come_from_standard_input(openkoi: Shell, how: list[str]) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "say hello"}\n    says: "Hello."\n')

    assert "Hello.\n" == openkoi("-m", model, "-i", "0", *how, stdin="say hello").stdout


@pytest.mark.row("CLI-19")
def test_json_is_one_object_of_the_agreed_shape(openkoi: Shell) -> None:
    process = openkoi("-m", write_script(openkoi.folder, ANSWER), "--format", "json", "What is it?")
    result = json.loads(process.stdout)

    assert KEYS == set(result)
    assert ("openkoi.result/1", True, True, "Paris.") == tuple(
        result[key] for key in ("schema", "ok", "accepted", "output")
    )
    assert {"input": 1200, "output": 80, "cache_read": 0, "cache_write": 0, "total": 1280} == result["usage"]
    assert 0.0048 == result["cost_usd"]


def test_jsonl_is_an_event_a_line_and_the_result_last(openkoi: Shell) -> None:
    result = openkoi("-m", write_script(openkoi.folder, ANSWER), "--format", "jsonl", "What is it?")
    lines = [json.loads(line) for line in result.stdout.splitlines()]

    assert "task_start" == lines[0]["type"]
    assert [len(lines) - 1] == [number for number, line in enumerate(lines) if "schema" in line]


def test_a_replay_prints_the_same_stdout_without_the_model(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, ANSWER)
    as_text = openkoi("-m", model, "What is it?")
    as_json = openkoi("-m", model, "--format", "json", "What was it?")
    (openkoi.folder / "script.yaml").unlink()

    assert as_json.stdout == openkoi("replay", "--format", "json").stdout
    first = openkoi("status").stdout.split("What is it?")[0].split("\n")[-1].split()[2]
    assert as_text.stdout == openkoi("replay", first).stdout
    assert 2 == openkoi("replay", "nosuch").returncode


@pytest.mark.row("CLI-04", "CLI-43")
def test_status_shows_tasks_tokens_and_cost(openkoi: Shell) -> None:
    openkoi("-m", write_script(openkoi.folder, ANSWER), "What is it?")
    report = openkoi("status", "--costs").stdout

    assert "What is it?" in report
    assert "1.3k" in report
    assert "Memory:" in report
    assert "scripted/script.yaml" in report


def test_plugins_lists_what_is_installed_and_what_it_adds(openkoi: Shell) -> None:
    report = openkoi("plugins").stdout

    assert "openkoi-scripted 20" in report
    assert "providers    scripted" in report
    assert "!" not in report


@pytest.mark.row("ERR-02")
def test_doctor_names_every_part_and_what_to_do(openkoi: Shell) -> None:
    result = openkoi("doctor")

    assert 1 == result.returncode
    for part in ("Config:", "Data:", "Providers:", "Memory:", "Sandbox:", "Checkpoints:", "Disk:", "Issues:"):
        assert part in result.stdout
    assert "Set OPENAI_API_KEY" in result.stdout


def test_doctor_names_what_is_set_and_where(openkoi: Shell) -> None:
    file = openkoi.home / "config.toml"
    file.parent.mkdir()
    file.write_text('[iteration]\nmax_iterations = 5\n[providers.openai]\napi_key = "sk-a1b2c3"')

    lines = [
        " ".join(line.split()) for line in openkoi.with_environment(OPENKOI_QUALITY="0.9")("doctor").stdout.splitlines()
    ]

    assert [
        f"iteration.max_iterations: 5 ({file}, default 3)",
        'iteration.quality_threshold: "0.9" ($OPENKOI_QUALITY, default 0.8)',
        f'providers.openai.api_key: "[redacted]" ({file})',
    ] == lines[1:4]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_completion_is_there_for_four_shells(openkoi: Shell, shell: str) -> None:
    assert "_OPENKOI_COMPLETE" in openkoi("completion", shell).stdout


def test_completion_completes_commands(openkoi: Shell) -> None:
    shell = openkoi.with_environment(_OPENKOI_COMPLETE="bash_complete", COMP_WORDS="openkoi sta", COMP_CWORD="1")

    assert "plain,status" in shell().stdout


# Bad input: a clear message, the right status, no traceback.


def expect_error(result: subprocess.CompletedProcess[str], status: int, *words: str) -> None:
    assert status == result.returncode, result.stderr
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.row("ERR-01")
def test_no_provider_says_what_to_set(openkoi: Shell) -> None:
    expect_error(openkoi("do it"), 9, "Set a key such as ANTHROPIC_API_KEY", "openkoi demo")


def test_a_provider_without_its_key_says_what_to_set(openkoi: Shell) -> None:
    expect_error(openkoi("-m", "openai/gpt-5.2", "do it"), 9, "OPENAI_API_KEY")


def test_an_unknown_provider_is_named_with_the_nearest_one(openkoi: Shell) -> None:
    expect_error(openkoi("-m", "scriptd/x", "do it"), 2, "Did you mean 'scripted'?")


def test_a_model_without_a_provider_says_how_it_is_written(openkoi: Shell) -> None:
    expect_error(openkoi("-m", "claude-sonet", "do it"), 2, "provider/model", "Did you mean 'claude-sonnet'?")


@pytest.mark.row("CLI-15")
def test_a_short_name_is_enough(openkoi: Shell) -> None:
    expect_error(openkoi("--executor", "claude-sonnet", "do it"), 9, "ANTHROPIC_API_KEY")


def test_broken_toml_names_file_line_and_column(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[models]\ndefault = "x\n')

    expect_error(openkoi("do it"), 2, "config.toml", "line 2")


def test_a_wrong_type_names_the_key_and_where_it_stands(openkoi: Shell) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[iteration]\nmax_iterations = "many"\n')

    expect_error(openkoi("-m", "scripted/x", "do it"), 2, "iteration.max_iterations", "config.toml")


def test_no_task_at_all_is_a_usage_error_with_an_example(openkoi: Shell) -> None:
    expect_error(openkoi("--iterate", "2"), 2, "No task given")


def test_a_script_without_a_matching_turn_says_what_it_waits_for(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "the moon"}\n    says: "Cheese."\n')

    expect_error(openkoi("-m", model, "Fix the sun"), 1, "script.yaml", "the moon")


def test_a_broken_script_names_the_file_and_the_line(openkoi: Shell) -> None:
    expect_error(openkoi("-m", write_script(openkoi.folder, "  - sais: hello\n"), "do it"), 1, "script.yaml", "sais")


def test_a_failure_is_a_json_object_too(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "the moon"}\n    says: "Cheese."\n')
    result = openkoi("-m", model, "--format", "json", "Fix the sun")

    assert (1, False) == (result.returncode, json.loads(result.stdout)["ok"])


@pytest.mark.row("CLI-12", "CLI-15", "CFG-02")
def test_flags_outrank_variables_and_variables_the_file(openkoi: Shell) -> None:
    one, two = write_script(openkoi.folder, ANSWER, "one.yaml"), write_script(openkoi.folder, ANSWER, "two.yaml")
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text('[models]\ndefault = "scripted/none.yaml"\n')
    report = openkoi.with_environment(OPENKOI_MODEL=one)

    def executor(*flags: str) -> object:
        return json.loads(report("--format", "json", *flags, "What is it?").stdout)["models"]["executor"]

    assert one == executor()
    assert two == executor("-m", two)
    assert two == executor("--executor", two)


@pytest.mark.row("CLI-17", "C52")
def test_a_configuration_may_be_named_anywhere_on_the_line(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, ANSWER)
    (openkoi.folder / "my.toml").write_text(f'[models]\ndefault = "{model}"\n')

    assert "Paris.\n" == openkoi("What is it?", "--config", "my.toml").stdout
    assert "my.toml (loaded)" in openkoi("--config", "my.toml", "doctor").stdout


@pytest.mark.row("CLI-20", "OBS-01", "OBS-02")
def test_verbose_logs_events_with_their_fields(openkoi: Shell) -> None:
    report = openkoi("-m", write_script(openkoi.folder, ANSWER), "--verbose", "What is it?").stderr

    assert "DEBUG model.response run=" in report
    assert "usd=0.0048" in report


@pytest.mark.parametrize(("word", "meant"), [("statsu", "status"), ("help", "--help"), ("doctr", "doctor")])
def test_a_slip_of_the_keyboard_is_no_task(openkoi: Shell, word: str, meant: str) -> None:
    expect_error(openkoi(word), 2, f"Did you mean `openkoi {meant}`?")


def test_options_of_tasks_are_completed_after_the_words_of_one(openkoi: Shell) -> None:
    line = {"_OPENKOI_COMPLETE": "bash_complete", "COMP_WORDS": "openkoi fix it --it", "COMP_CWORD": "3"}

    assert "plain,--iterate" in Shell(openkoi.folder, openkoi.home, line)().stdout


def test_a_failed_call_of_a_tool_is_seen(openkoi: Shell) -> None:
    call = "{tool: read_file, arguments: {path: nowhere.txt}}"
    model = write_script(openkoi.folder, f'  - calls: [{call}]\n  - says: "It is not there."\n')

    assert "  ! File not found: nowhere.txt" in openkoi("-m", model, "What is in nowhere.txt?").stderr
