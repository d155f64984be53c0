"""Test which variables of our environment a command gets."""

import pytest

from openkoi_base.redact import is_secret_name
from openkoi_hookspecs import Command
from openkoi_sandbox.environment import child_environment

pytestmark = pytest.mark.unit

NOTHING = Command(["true"])


@pytest.mark.parametrize(
    "name",
    [
        "OPENAI_API_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "GITHUB_TOKEN",
        "npm_config__authToken",
        "PGPASSWORD",
        "MYSQL_PWD",
        "SMTP_PASS",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GITHUB_PAT",
        "SECRET",
        "STRIPE_APIKEY",
        "GIT_CONFIG_VALUE_0",
    ],
)
def test_a_name_that_says_secret_is_one(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["PATH", "HOME", "LANG", "PYTHONPATH", "MONKEY", "KEYBOARD", "TOKENIZERS_PARALLELISM", "SSH_AUTH_SOCK", "PASSAGE"],
)
def test_a_name_that_only_sounds_like_one_is_not(name: str) -> None:
    assert not is_secret_name(name)


def test_a_token_is_known_by_how_it_begins_whatever_it_is_called() -> None:
    ours = {"ACME_LOGIN": "ghp_" + 6 * "aB3xY9", "LOGIN": "sk-but-short", "URL": "https://npm_of_the_world.example"}

    assert {"LOGIN", "URL"} == child_environment(ours, NOTHING, mark="m").keys() & ours.keys()


def test_a_secret_is_passed_when_it_is_named() -> None:
    ours = {"ACME_KEY": "1", "GIT_CONFIG_COUNT": "2", "OTHER_KEY": "3"}

    passed = child_environment(ours, NOTHING, passed=("ACME_KEY", "GIT_*"), mark="m")

    assert {"ACME_KEY", "GIT_CONFIG_COUNT"} == passed.keys() & ours.keys()


def test_what_the_command_wants_outranks_all() -> None:
    wanted = {"TERM": "xterm", "ACME_KEY": "mine"}

    assert wanted.items() <= child_environment({"TERM": "linux"}, Command(["true"], env=wanted), mark="m").items()


def test_programs_are_told_to_be_quiet() -> None:
    output = child_environment({"TERM": "xterm", "FORCE_COLOR": "1"}, NOTHING, mark="m")

    assert ("dumb", "1", "0", "cat") == tuple(output[n] for n in ("TERM", "NO_COLOR", "GIT_TERMINAL_PROMPT", "PAGER"))
    assert "FORCE_COLOR" not in output


def test_a_command_within_a_command_carries_both_marks() -> None:
    outer = child_environment({}, NOTHING, mark="outer")

    assert "outer inner" == child_environment(outer, NOTHING, mark="inner")["OPENKOI_COMMAND"]


def test_what_is_known_to_hold_a_secret_is_left_out_whatever_it_is_called() -> None:
    ours = {"ACME_LOGIN": "plain words", "OTHER": "x"}
    output = Command(["true"], hide_env=frozenset({"ACME_LOGIN"}))

    assert {"OTHER"} == child_environment(ours, output, mark="m").keys() & ours.keys()
    assert ours.keys() <= child_environment(ours, output, passed=("ACME_*",), mark="m").keys()
