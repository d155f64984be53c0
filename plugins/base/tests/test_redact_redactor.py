"""Secrets that we hold pass in no shape, strangers' keys are known by their looks, and all else is left alone."""

import base64
import json
import re
import string
import textwrap
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from openkoi_base.redact import MASK, Redactor, Secret, environment_secrets
from openkoi_base.redact.formats import Keywords, formats

PRINTABLE = st.text(string.printable, min_size=6, max_size=40)
DIGITS = st.text("0123456789", min_size=6, max_size=12)
SECRETS = (PRINTABLE | st.text(min_size=6, max_size=20) | DIGITS).filter(lambda text: Secret(text, "").is_maskable)
TEXTS = st.text(max_size=20)
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabc+/=\n-----END RSA PRIVATE KEY-----"
HOSTILE = st.lists(
    st.sampled_from(["://a:b@", "bearer ", "-----BEGIN PRIVATE KEY-----", "-----END", "\\", '"', "\n", "sk-", "x" * 20])
    | st.text(max_size=4),
    max_size=10,
).map("".join)
many = settings(max_examples=120, deadline=None)


@many
@given(SECRETS, TEXTS, TEXTS)
@example('"quoted"\\n', "", "")
@example("ab/cd+ef==", "", "")
@example("pass word", "", "")
@example("h\ud800lf a character", "", "")
@example("half a key\udcff", "", "")
def test_a_held_secret_passes_in_no_shape(secret: str, before: str, after: str) -> None:
    raw = secret.encode("utf-8", "surrogatepass")
    shapes = [
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        quote(raw, safe=""),
        quote(raw),
        quote_plus(raw),
        raw.hex(),
        raw.hex().upper(),
    ]
    redact = Redactor([secret])

    for shape in shapes:
        assert shape not in redact(before + shape + after).replace(MASK, "\0")


@many
@given(st.binary(max_size=5), SECRETS, st.binary(max_size=5))
def test_a_held_secret_passes_at_no_alignment_of_base64(before: bytes, secret: str, after: bytes) -> None:
    whole = before + secret.encode() + after
    redact = Redactor([secret])

    for reply in (base64.b64encode(whole).decode(), base64.urlsafe_b64encode(whole).decode()):
        text = redact(reply)
        assert MASK in text
        assert len(reply) - len(text.replace(MASK, "")) >= len(secret.encode()) * 4 // 3 - 3


@pytest.mark.parametrize("secret", ["sk-held-4f9a8c7d6e5b4a3928170615", "p\u00e4ssw\u00f6rd-\u03a99", "hunter2!"])
@pytest.mark.parametrize("name", ["xxd", "hexdump -C", "od -t x1z"])
def test_a_held_secret_passes_in_no_dump(name: str, secret: str) -> None:
    raw = b"user=me\npass=" + secret.encode() + b"\nmore=of the same\n"
    text = Redactor([secret])(dump(name, raw))
    bytes_shown = "".join(re.findall(r"(?<![\w:])[0-9a-f]{2,4}(?= |$)", text))
    texts = "".join(line[-18:].strip(" |><") for line in text.replace(MASK, "").splitlines())

    assert MASK in text
    assert secret.encode().hex() not in bytes_shown
    assert not any(secret[at : at + 6] in texts for at in range(len(secret) - 5))


def dump(name: str, raw: bytes) -> str:
    """Return bytes as a program prints them, 16 a line."""
    place, column = {"xxd": ("{:08x}: ", "  {}"), "hexdump -C": ("{:08x}  ", "  |{}|")}.get(name, ("{:07o} ", "  >{}<"))
    lines = []
    for at in range(0, len(raw), 16):
        row = raw[at : at + 16]
        half = f"{row[:8].hex(' ')}  {row[8:].hex(' ')}"
        middle = row.hex(" ", -2) if name == "xxd" else half if name == "hexdump -C" else row.hex(" ")
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(place.format(at) + middle + column.format(text))
    return "\n".join(lines)


@many
@given(HOSTILE)
@example("postgres://user:pa\\nss@host")
@example(f'{PEM}", "more": "')
def test_a_json_text_that_is_redacted_as_a_whole_is_json_still(text: str) -> None:
    redact = Redactor(["held-secret-value"])

    assert isinstance(json.loads(redact(json.dumps({"text": text, "n": 1}))), dict)
    assert isinstance(json.loads(redact(json.dumps({"text": text, "n": 1}, ensure_ascii=False))), dict)


@pytest.mark.row("SAFE-09")
@pytest.mark.parametrize(
    "key",
    [
        "sk-" + "a1" * 12,
        "sk-ant-api03-" + "a1" * 12,
        "sk-proj-" + "a1" * 12,
        "AIza" + "b" * 35,
        "ghp_" + "c" * 36,
        "github_pat_" + "d" * 22,
        "xoxb-" + "1234567890",
        "AKIA" + "E" * 16,
        "ntn_" + "f" * 20,
        "gsk_" + "g" * 20,
        "xai-" + "h" * 20,
        "glpat-" + "i" * 20,
        "npm_" + "j" * 36,
        "eyJ" + "k" * 10 + ".eyJ" + "l" * 10 + "." + "m" * 10,
    ],
)
def test_strangers_keys_are_known_by_their_looks(key: str) -> None:
    assert f"the key {MASK}, used" == Redactor()(f"the key {key}, used")


@pytest.mark.parametrize("word", ["Bearer", "bearer", "BEARER"])
def test_bearers_are_masked(word: str) -> None:
    assert f"Authorization: {word} {MASK}" == Redactor()(f"Authorization: {word} abcdefgh01234567==")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgres://me:hunter2@db:5432/shop", "postgres://[redacted]@db:5432/shop"),
        ("redis://:hunter2@cache", "redis://[redacted]@cache"),
        ("https://example.org:8080/a@b", "https://example.org:8080/a@b"),
        ("ssh://git@example.org/x", "ssh://git@example.org/x"),
    ],
)
def test_passwords_in_urls_are_masked(url: str, shown: str) -> None:
    assert shown == Redactor()(url)


@pytest.mark.parametrize("shaped", [PEM, PEM.replace("\n", "\\n"), PEM.replace("\n", "\r\n")])
def test_private_keys_are_masked_and_what_follows_is_not(shaped: str) -> None:
    assert f"key: {MASK} and so on." == Redactor()(f"key: {shaped} and so on.")


def test_a_private_key_that_was_cut_off_is_masked_to_its_end() -> None:
    assert f"{MASK}" == Redactor()(PEM[:60])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The task is done: 3 files changed, 12 tests pass.",
        "see https://example.org/path?q=1#frag",
        "task-sk-learn is a package; risk-averse and desk-bound people use it",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "bearer of bad news",
        "the learning acme-desk-01f977c1c28eef7ed6cc of a run",
    ],
)
def test_ordinary_text_is_unchanged(text: str) -> None:
    assert text == Redactor(["held-secret-value"])(text)


@many
@given(st.text(string.ascii_lowercase + " .,\n", max_size=80))
def test_plain_words_are_unchanged(text: str) -> None:
    assert text == Redactor(["HELD-SECRET-VALUE"])(text)


def test_a_longer_secret_that_holds_a_shorter_one_is_masked_whole() -> None:
    assert f"({MASK})" == Redactor(["secret-1", "my-secret-1-key"])("(my-secret-1-key)")


def test_what_is_too_short_to_be_a_secret_is_not_held() -> None:
    assert "a pin 12345" == Redactor(["12345"])("a pin 12345")


@pytest.mark.parametrize(
    "word", ["openai", "ollama", "not-needed", "dummy-key", "postgres", "lm-studio", "accept", "tool_called"]
)
def test_an_ordinary_word_is_not_held(word: str) -> None:
    text = f"Use {word}, as {word}/any does."

    assert text == Redactor([word])(text)


@pytest.mark.parametrize("secret", ["openai1", "Postgres", "a word", "correct-horse-battery", "postgres.", "größen"])
def test_what_is_longer_or_has_another_character_is_held(secret: str) -> None:
    assert f"({MASK})" == Redactor([secret])(f"({secret})")


def test_a_text_that_was_shown_before_its_value_is_held_is_masked_afterwards() -> None:
    redact = Redactor()
    before = redact("the code is horse-battery-9")
    redact.hold("horse-battery-9")

    assert ("the code is horse-battery-9", f"the code is {MASK}") == (before, redact("the code is horse-battery-9"))


def test_the_kind_of_a_secret_is_noted_each_time() -> None:
    redact = Redactor([Secret("horse-battery-9", "CODE")])
    noted = []
    for _ in range(2):
        redact.seen = set()
        redact("the code is horse-battery-9")
        noted.append(redact.seen)

    assert [{"CODE"}, {"CODE"}] == noted


def test_variables_that_are_named_like_secrets_are_ones() -> None:
    environment = {
        "OPENAI_API_KEY": "value-one",
        "my_password": "value-two",
        "AWS_SECRET_ACCESS_KEY": "value-three",
        "TOKEN": "short",
        "MONKEY": "not-a-key",
        "HOME": "/home/me",
    }

    origins = [secret.origin for secret in environment_secrets(environment)]

    assert ["$OPENAI_API_KEY", "$my_password", "$AWS_SECRET_ACCESS_KEY", "$TOKEN"] == origins


@pytest.mark.parametrize("password", ["s3cr3t-of-db", "swordfish", "pa%2Fss%40word", "0123456789abcdef"])
def test_the_password_in_a_url_is_held_in_all_encodings_of_the_url(password: str) -> None:
    url = f"postgres://shop:{password}@db:5432/shop"
    raw = url.encode()
    redact = Redactor(environment_secrets({"DATABASE_URL": url}))

    for text in (
        url,
        raw.hex(),
        raw.hex().upper(),
        base64.b64encode(raw).decode(),
        quote(url, safe=""),
        json.dumps(url),
    ):
        message = redact(f"before {text} after")
        assert MASK in message
        assert text not in message
        assert password not in message
        assert password.encode().hex() not in message.lower()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("part", ["eyJ", "token=aB3", "cookie=", "ops_eyJ", "curl -u a:b ", "kind: secret\n", "sk-"])
def test_a_long_text_of_what_secrets_begin_with_is_no_more_work_than_its_length(part: str) -> None:
    token = "ghp_" + "x1Y2z3W4" * 5

    assert token not in Redactor()(f"{part * (1_000_000 // len(part))} {token}")


@many
@given(SECRETS, TEXTS, st.integers(min_value=12))
def test_a_text_that_is_cut_in_a_held_secret_shows_no_part_of_it(secret: str, text: str, size: int) -> None:
    redact = Redactor([secret])
    for shape in {secret, secret.encode("utf-8", "surrogatepass").hex()}:
        part = shape[: min(size, len(shape))]
        if len(part) >= 12:
            assert part not in redact(text + part)
            assert part[::-1] not in Redactor([shape[::-1]])(part[::-1] + text)


def test_a_dump_that_is_cut_in_a_held_secret_shows_no_line_of_it() -> None:
    lines = "\n".join(textwrap.wrap(b"correct-horse-battery-staple-9".hex(), 20))

    assert f"0: {MASK}" == Redactor(["correct-horse-battery-staple-9"])(f"0: {lines[:45]}")


def test_keywords_are_found_alike_one_by_one_and_in_one_pass() -> None:
    keywords = Keywords(formats())
    text = Path(__file__).read_text("utf-8").lower() + " ".join(keywords.meant) + "".join(keywords.meant)

    assert [*keywords.find_all(text)] == [*keywords.find_each(text)]
