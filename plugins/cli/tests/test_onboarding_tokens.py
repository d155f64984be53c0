"""What other programs keep is read as they write it; what is empty, over or garbage is no token."""

import json
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_cli.setup.key_sources import KeySource
from openkoi_cli.setup.other_logins import find_logins
from openkoi_cli.setup.tokens import read_claude_token, read_codex_token, read_keychain_token, read_qwen_token
from openkoi_hookspecs import Json

NOW = 1_800_000_000.0
LATER, BEFORE = (NOW + 60) * 1000, (NOW - 60) * 1000
KEYS = ("claudeAiOauth", "accessToken", "expiresAt", "tokens", "access_token", "OPENAI_API_KEY", "expiry_date")


def login(token: str, end: float) -> dict[str, Json]:
    return {"claudeAiOauth": {"accessToken": token, "expiresAt": end}}


def dated(seconds: float) -> str:
    """A token of three parts that says when it ends."""
    claims = urlsafe_b64encode(json.dumps({"exp": seconds}).encode()).decode().rstrip("=")
    return f"head.{claims}.seal"


@pytest.mark.row("ONB-05", "C76")
@pytest.mark.parametrize(
    ("document", "token"),
    [
        (login("tok", LATER), "tok"),
        ({"claudeAiOauth": {"accessToken": "tok"}}, "tok"),
        ({"oauth_token": "old"}, "old"),
        ({**login("tok", BEFORE), "oauth_token": "old"}, "old"),
        (login("tok", BEFORE), ""),
        (login("", LATER), ""),
        (login("two words", LATER), ""),
        ({"claudeAiOauth": "tok"}, ""),
        ({"claudeAiOauth": {"accessToken": 7}}, ""),
        (["oauth_token"], ""),
        (None, ""),
    ],
)
def test_the_claude_cli_keeps_a_login_or_a_token(document: Json, token: str) -> None:
    assert token == read_claude_token(document, NOW)


@pytest.mark.row("ONB-06")
@pytest.mark.parametrize(
    ("secret", "token"),
    [(json.dumps(login("tok", LATER)), "tok"), (json.dumps(login("tok", BEFORE)), ""), ("bare\n", "bare"), ("", "")],
)
def test_the_keychain_keeps_the_same_document_or_a_bare_token(secret: str, token: str) -> None:
    assert token == read_keychain_token(secret, NOW)


@pytest.mark.row("ONB-07")
@pytest.mark.parametrize(
    ("document", "token"),
    [
        ({"OPENAI_API_KEY": "key", "tokens": {"access_token": "tok"}}, "key"),
        ({"OPENAI_API_KEY": None, "tokens": {"access_token": "tok"}}, "tok"),
        ({"tokens": {"access_token": dated(NOW + 60)}}, dated(NOW + 60)),
        ({"tokens": {"access_token": dated(NOW - 60)}}, ""),
        ({"tokens": {"access_token": "a.%%%.c"}}, "a.%%%.c"),
        ({"tokens": []}, ""),
    ],
)
def test_the_codex_cli_keeps_a_key_or_a_login(document: Json, token: str) -> None:
    assert token == read_codex_token(document, NOW)


@pytest.mark.row("ONB-08")
@pytest.mark.parametrize(
    ("document", "token"),
    [
        ({"access_token": "tok"}, "tok"),
        ({"access_token": "tok", "expiry_date": LATER}, "tok"),
        ({"access_token": "tok", "expiry_date": BEFORE}, ""),
        ({}, ""),
    ],
)
def test_the_qwen_cli_keeps_a_login(document: Json, token: str) -> None:
    assert token == read_qwen_token(document, NOW)


@pytest.mark.row("ONB-03")
def test_logins_are_found_in_the_home_folder_in_order(tmp_path: Path) -> None:
    put(tmp_path / ".qwen" / "oauth_creds.json", '{"access_token": "q"}')
    put(tmp_path / ".codex" / "auth.json", '{"OPENAI_API_KEY": "o"}')
    put(tmp_path / ".claude" / ".credentials.json", '{"oauth_token": "c"}')

    found = [(login.source, login.provider, login.token) for login in find_logins(tmp_path, NOW)]
    assert [
        (KeySource.CLAUDE_CLI_CREDENTIALS, "anthropic", "c"),
        (KeySource.OPENAI_CODEX_CLI, "openai", "o"),
        (KeySource.QWEN_CLI, "qwen", "q"),
    ] == found


@pytest.mark.row("ONB-05")
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{", b"[" * 5000, b'"' + b"x" * 2_000_000 + b'"'])
def test_a_file_that_is_garbage_is_passed_over(tmp_path: Path, content: bytes) -> None:
    put(tmp_path / ".claude" / ".credentials.json", "")
    (tmp_path / ".claude" / ".credentials.json").write_bytes(content)
    (tmp_path / ".codex" / "auth.json").mkdir(parents=True)

    assert [] == list(find_logins(tmp_path, NOW))


def put(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize("end", [10**400, float("inf"), float("nan"), 1e300], ids=lambda end: str(end)[:9])
def test_a_time_that_is_none_has_not_passed(end: float) -> None:
    assert read_claude_token(login("tok", end), NOW) == "tok"
    assert read_qwen_token({"access_token": "tok", "expiry_date": end}, NOW) == "tok"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_whatever_a_file_holds_no_source_fails(document: Json) -> None:
    for read in (read_claude_token, read_codex_token, read_qwen_token):
        assert isinstance(read(document, NOW), str)
