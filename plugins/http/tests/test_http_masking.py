"""Test which values are masked as secrets, wherever they appear and in any number of pieces."""

import base64
import json
from urllib.parse import quote

import pytest

from openkoi_base.redact import MASK, Redactor
from openkoi_http.streaming_redaction import mask_address, mask_pieces

pytestmark = pytest.mark.unit

OURS = "Opaque/Secret+0123456789=="
STRANGERS = "sk-abcd1234efgh5678ijkl9012"
HELD = Redactor([OURS])


def text_frame(text: str, *, key: str = "content", index: int = 0) -> bytes:
    frame = {"choices": [{"delta": {key: text}, "index": index}]}
    return b"data: " + json.dumps(frame).encode() + b"\n\n"


def heard(pieces: list[bytes], index: int = 0) -> str:
    frames = [json.loads(line[6:]) for line in b"".join(pieces).splitlines() if line]
    choices = [frame["choices"][0] for frame in frames]
    return "".join(choice["delta"]["content"] for choice in choices if choice["index"] == index)


@pytest.mark.parametrize(
    "spelling",
    [
        OURS,
        quote(OURS),
        quote(OURS, safe=""),
        json.dumps(OURS)[1:-1],
        OURS.encode().hex(),
        base64.b64encode(OURS.encode()).decode(),
        base64.b64encode(f"a{OURS}".encode()).decode(),
        base64.b64encode(f"user:{OURS} and more".encode()).decode(),
        base64.urlsafe_b64encode(f"ab{OURS}".encode()).decode(),
    ],
)
def test_our_own_secret_is_masked_in_every_spelling(spelling: str) -> None:
    text = HELD(f"before {spelling} after")

    assert MASK in text
    assert spelling not in text
    assert (text.startswith("before "), text.endswith(" after")) == (True, True)


@pytest.mark.parametrize(
    "text",
    [
        STRANGERS,
        "AIza" + "SyD3xYaB9" * 3 + "kQ7mZ2pL",
        "ghp_" + "aB3xY9" * 6,
        "AKIA" + "Q3ZK7WTN5RPB2XYM",
        "postgres://ann:swordfish1@host/db",
        "Authorization: Bearer abcdefghijklmnopqrst",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
        base64.b64encode(f"the key is {STRANGERS}, keep it".encode()).decode(),
    ],
)
def test_what_has_the_looks_of_a_key_is_masked(text: str) -> None:
    assert MASK in Redactor()(f"see {text} there")


@pytest.mark.parametrize(
    "text",
    [
        "keyword_arguments_of_a_function",
        "skeleton-of-a-very-long-filename.py",
        "a task-runner, a desk-lamp and a risk-free-and-really-long-offer",
        "https://example.org/path@2",
        "Bearer of news",
        "0123456789abcdef0123456789abcdef01234567",
    ],
)
def test_what_only_resembles_one_stays(text: str) -> None:
    assert text == Redactor(["ollama"])(text)


def test_an_address_shows_no_secret() -> None:
    assert f"/v1/x?page=2&key={MASK}&id={MASK}" == mask_address(
        f"/v1/x?page=2&key=short&id={quote(OURS, safe='')}", HELD
    )


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
def test_a_secret_in_two_pieces_is_masked(size: int) -> None:
    whole = f"data: before {OURS} after\n\n".encode()
    pieces = [whole[start : start + size] for start in range(0, len(whole), size)]

    assert f"data: before {MASK} after\n\n".encode() == b"".join(mask_pieces(pieces, HELD))


@pytest.mark.parametrize("secret", [OURS, STRANGERS])
@pytest.mark.parametrize("size", [1, 4, 9])
def test_a_secret_that_is_spread_over_events_is_masked(secret: str, size: int) -> None:
    text = f"é: it is {secret}\n, really"
    pieces = [text_frame(text[start : start + size]) for start in range(0, len(text), size)]

    assert f"é: it is {MASK}\n, really" == heard(mask_pieces(pieces, HELD))
    assert len(pieces) == len(mask_pieces(pieces, HELD))


def test_what_is_said_side_by_side_is_not_taken_for_one() -> None:
    pieces = [text_frame(OURS[:9]), text_frame("other words", index=1), text_frame(OURS[9:])]

    assert MASK == heard(mask_pieces(pieces, HELD))
    assert "other words" == heard(mask_pieces(pieces, HELD), index=1)


def test_a_secret_in_a_document_is_masked_where_it_is_spelt_in_escapes() -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in OURS)

    assert {"said": MASK} == json.loads(b"".join(mask_pieces([f'{{"said": "{escaped}"}}'.encode()], HELD)))


@pytest.mark.parametrize("body", [b"", b"\xff\x00\xfe", b"data: {broken\n\n", "h\u00e9llo".encode(), b"[1, 2]\n"])
def test_what_holds_no_secret_stays_as_it_is(body: bytes) -> None:
    assert [body] * bool(body) == mask_pieces([body], HELD)
