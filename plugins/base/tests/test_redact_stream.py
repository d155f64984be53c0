"""A text that comes in pieces is masked like one that comes at once."""

import random

import pytest

from openkoi_base.redact import MASK, Redactor, StreamRedactor, safe_cut
from openkoi_base.redact.stream import CONTEXT_CHARACTERS, WINDOW_CHARACTERS

HELD = "s3cr3t-of-the-db-99"
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow/IBAAKCAQEA7x\n" * 300 + "-----END RSA PRIVATE KEY-----"
SECRETS = (HELD, HELD.encode().hex(), KEY, "ghp_" + "x1Y2z3W4" * 5)


@pytest.mark.parametrize("seed", range(6))
def test_pieces_of_any_size_give_the_same_text_and_little_is_kept(seed: int) -> None:
    chance = random.Random(seed)
    lines = [chance.choice((*SECRETS, "an ordinary line of text " * 9)) for _ in range(600)]
    text, size = "\n".join(lines), chance.choice([1_000, 10_007, 65_536, 500_000])
    stream = StreamRedactor(Redactor([HELD]))

    texts = []
    for at in range(0, len(text), size):
        texts.append(stream.add(text[at : at + size]))
        assert len(stream.text) <= WINDOW_CHARACTERS + 2 * CONTEXT_CHARACTERS + size

    assert "\n".join(MASK if line in SECRETS else line for line in lines) == "".join((*texts, stream.finish()))


ANSWER = f"""\
Here is what I found in the files, which is not much.
These are words: correct horse battery staple 9, which are four, and this is an ordinary sentence.
The password = k8Zq-72mWp!x is set, and then
{KEY}
    curl -u admin:Zt5-kq9Lw2 https://h/x and so on
Authorization: Bearer k3J9x2L5m8Q1r4T7v0Y6z and this is the end of it."""
LEAKS = ("correct", "horse", "staple", "k8Zq", "MIIEow", "Zt5-k", "k3J9x")


@pytest.mark.parametrize("seed", range(20))
def test_a_text_that_is_shown_while_it_grows_is_cut_where_no_secret_is(seed: int) -> None:
    redact = Redactor(["correct horse battery staple 9"])
    chance, waiting, text, parts = random.Random(seed), "", "", 0

    for letter in ANSWER:
        waiting += letter
        if chance.random() < 0.2 and (end := safe_cut(waiting, redact)):
            text, waiting, parts = text + redact(waiting[:end]), waiting[end:], parts + 1
    text += redact(waiting)

    assert [] == [leak for leak in LEAKS if leak in text]
    assert parts > 9, "ordinary words wait for nothing"


SPREAD = (
    "helm registry login -u bob -p {} registry.example.com",
    "zip -P {} -r out.zip docs",
    "echo {} | docker login --username bob --password-stdin",
    "smbclient //srv/share -U bob%{}",
    "it is SSWS 00{}k3J9x2L5m8Q1r4T7v0Y6zAbCdE",
    'ConvertTo-SecureString "{}" -AsPlainText',
    "- name: DB_PASSWORD\n  value: {}",
    'variable "github_token" {{\n  description = "Of the bot"\n  default     = "{}"\n}}',
    "auth:\n  token: >-\n    {}",
    '{{\n  "key": "auth_token",\n  "value": "{}"\n}}',
)


@pytest.mark.parametrize("form", SPREAD)
@pytest.mark.parametrize("size", [1, 7, 31])
def test_a_secret_far_from_what_gives_it_away_is_not_shown_before_that(size: int, form: str) -> None:
    redact, secret = Redactor(), "q7ZkHw3xP9vTb2"
    text, message, waiting = f"Found it:\n{form.format(secret)}\nThat is all.", "", ""

    for at in range(0, len(text), size):
        waiting += text[at : at + size]
        end = safe_cut(waiting, redact)
        message, waiting = message + redact(waiting[:end]), waiting[end:]

    assert secret not in message + redact(waiting)
