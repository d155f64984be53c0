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


WITHOUT_SPACES = (
    "\u6211\u5728\u6587\u4ef6\u91cc\u627e\u5230\u4e86\u8fd9\u4e9b\uff1a",
    "\u3053\u308c\u306f\u79d8\u5bc6\u306e\u8a2d\u5b9a\u30d5\u30a1\u30a4\u30eb\u3067\u3059\u3002",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01",
    "\u1019\u103c\u1014\u103a\u1019\u102c",
    "\u1797\u17b6\u179f\u17b6",
)
SPOKEN = "\u5929\u738b\u76d6\u5730\u864e9"  # a password of several scripts, which is known


@pytest.mark.parametrize("seed", range(40))
def test_a_text_in_a_script_without_spaces_is_shown_while_it_grows_but_for_secrets(seed: int) -> None:
    chance = random.Random(seed)
    secrets = [SPOKEN, HELD, "ghp_" + "x1Y2z3W4" * 5, "k8Zq-72mWp!x", "k3J9x2L5m8Q1r4T7v0Y6z"]
    forms = ["{}", "{}", "{}", "password={}", "Authorization: Bearer {}"]
    order = chance.sample(range(5), 5)
    pieces = ["".join(chance.choices(WITHOUT_SPACES, k=4)) + forms[one].format(secrets[one]) + "\n" for one in order]
    redact, text, waiting, longest = Redactor([SPOKEN, HELD]), "", "", 0

    for letter in "".join(pieces):
        waiting += letter
        if chance.random() < 0.3:
            end = safe_cut(waiting, redact)
            text, waiting = text + redact(waiting[:end]), waiting[end:]
            longest = max(longest, len(waiting))
    text += redact(waiting)

    assert [] == [secret for secret in secrets if secret[:6] in text]
    assert text.count(WITHOUT_SPACES[0]) == "".join(pieces).count(WITHOUT_SPACES[0])
    assert longest < 150, "ordinary words wait for nothing"


@pytest.mark.parametrize("text", [word * 30 for word in WITHOUT_SPACES])
def test_an_ordinary_text_in_a_script_without_spaces_waits_for_nothing(text: str) -> None:
    assert len(text) == safe_cut(text, Redactor())


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
