"""Test that known secrets appear in no output, in no encoding, and do not reach commands."""

import base64
import gzip
import json
import random
import string
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say, ServerFault

NAMES = (
    *("PGPASSWORD", "MYSQL_PWD", "DB_PASS", "GPG_PASSPHRASE", "APIKEY", "clientSecret", "NPM_CONFIG__AUTH"),
    *("SENTRY_AUTH", "SLACK_WEBHOOK_URL", "ACME_API_KEY", "acme-api-key", "acmeApiToken", "SSHPASS", "STRIPE_SK_KEY"),
    *("VAULT_TOKEN", "JWT_SECRET", "AZURE_STORAGE_CONNECTION_STRING", "MY_CREDENTIALS", "TOKEN_OF_ACME", "SMTP_PASS_2"),
)
HELD_OUT = (
    *(
        "RABBITMQ_DEFAULT_PASS",
        "ORACLE_PWD",
        "LDAP_BIND_PASSWORD",
        "BORG_PASSPHRASE",
        "OPENSEARCH_APIKEY",
        "oauthClientSecret",
    ),
    *(
        "YARN_NPM_AUTH_TOKEN",
        "COMPOSER_AUTH",
        "DISCORD_WEBHOOK",
        "CLOUDFLARE_API_TOKEN",
        "x-functions-key",
        "githubPat",
    ),
    *(
        "WIFI_PSK",
        "RAILS_MASTER_KEY",
        "SERVICEBUS_CONNECTION_STRING",
        "GIT_CREDENTIALS",
        "SECRET_KEY_BASE",
        "ADMIN_PASSWORD_OLD",
    ),
)
HARMLESS = (
    *("TOKENIZERS_PARALLELISM", "MAX_TOKENS", "PASSENGER_ROOT", "AUTHOR", "KEYBOARD", "GIT_AUTHOR_NAME", "TOKEN_LIMIT"),
    *("SSH_ASKPASS", "COMPASS_HOME", "KEYMAP", "PASSWORD_STORE_DIR", "AUTH_TYPE", "PUBLIC_KEY", "SECRETS_DIR"),
)
LETTERS = string.ascii_letters + string.digits
STYLES = (LETTERS, LETTERS + "+/=", string.hexdigits.lower()[:16], LETTERS + "!#%&'\"\\<>", LETTERS + "äöß")
UNJUDGED = "[evaluators.judge]\nenabled = false\n[evaluators.word-count]\nlimit = 5000\n"
KEPT_AS_THEY_ARE = {"checkpoints", "outputs", "config.toml"}


def values(names: tuple[str, ...], seed: int) -> dict[str, str]:
    """Return a secret for each name, of many lengths and alphabets."""
    chance = random.Random(seed)
    made = {}
    for number, name in enumerate(names):
        letters = STYLES[number % len(STYLES)]
        made[name] = "".join(chance.choice(letters) for _ in range(chance.randint(10, 70))) + "z9"
    return made


def forms(secret: str) -> Iterator[str]:
    """Yield a secret as it may appear by itself."""
    raw = secret.encode()
    yield from (secret, quote(raw, safe=""), quote(raw), quote_plus(raw), escape(secret))
    yield from (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1])
    yield from (raw.hex(), raw.hex().upper(), "".join(f"%{byte:02x}" for byte in raw))
    yield from (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode().rstrip("="))
    yield from (base64.b32encode(raw).decode(), secret[::-1], "".join(f"={byte:02X}" for byte in raw))
    yield from ("".join(f"\\u{ord(letter):04x}" for letter in secret), "".join(f"&#{ord(one)};" for one in secret))


def spread(secret: str) -> Iterator[str]:
    """Yield a secret as bytes apart from each other, and compressed."""
    raw = secret.encode()
    yield from (":".join(f"{byte:02x}" for byte in raw), ",".join(f"0x{byte:02x}" for byte in raw))
    yield base64.b64encode(gzip.compress(raw)).decode()


def within(secret: str) -> Iterator[tuple[str, str]]:
    """Base64 in which a secret stands at each offset, and the part of it that the secret alone decides."""
    raw = secret.encode()
    for before in (b"someone:", b"u:", b"me:"):
        whole = base64.b64encode(before + raw + b" and more").decode()
        yield whole, whole[(len(before) * 4 + 2) // 3 + 1 : (len(before) + len(raw)) * 4 // 3 - 1]


def all_forms(secret: str) -> str:
    """Return a secret in all forms."""
    return "\n".join([*forms(secret), *spread(secret), *(whole for whole, _ in within(secret))])


def in_lines(secret: str) -> str:
    """Return a secret as ``base64`` and ``xxd -p`` print it: in lines."""
    raw = (secret * 3).encode()
    hexed = raw.hex()
    return base64.encodebytes(raw).decode() + "\n".join(hexed[at : at + 60] for at in range(0, len(hexed), 60))


def home_text(openkoi: Shell) -> str:
    """Return all files of the home, except copies of files and the user's configuration."""
    files = [path for path in openkoi.home.rglob("*") if path.is_file()]
    kept = [path for path in files if not KEPT_AS_THEY_ARE & set(path.relative_to(openkoi.home).parts)]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in kept)


def find_leaks(text: str, secrets: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the secrets that stand in a text, each with the form in which it does; also as a part, in one line."""
    parts = (
        (name, form)
        for name, secret in secrets.items()
        for form in (*forms(secret), *spread(secret), *dict(within(secret)).values())
    )
    each = (
        (name, line) for name, secret in secrets.items() for line in in_lines(secret).splitlines() if len(line) > 50
    )
    return [(name, form) for name, form in (*parts, *each) if form in text]


def script(secrets: Mapping[str, str], config: str) -> list[Say]:
    """Return a model that reads, runs, writes and repeats secrets."""
    reply = " ".join(map(all_forms, secrets.values()))
    return [
        Say(
            [ToolCall("1", "read_file", {"path": "leaks.txt"}), ToolCall("2", "read_file", {"path": "lines.txt"})],
            delta=40,
        ),
        Say([ToolCall("3", "run_command", {"command": "env; cat leaks.txt"})]),
        Say([ToolCall("4", "write_file", {"path": "b.txt", "content": f"{reply}\n{config}\n"})], delta=400),
        Say(f"Done. {reply} {config}", delta=37),
    ]


def scene(tmp_path: Path, named: Mapping[str, str], secrets: Mapping[str, str], config: str = "") -> Shell:
    """Return a folder with files that hold secrets in all forms.

    In an environment that holds those that are ``named``.
    """
    openkoi = shell(tmp_path)
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text(f"{UNJUDGED}{config}")
    (openkoi.folder / "leaks.txt").write_text("\n".join(map(all_forms, secrets.values())))
    (openkoi.folder / "lines.txt").write_text("\n".join(map(in_lines, secrets.values())))
    return openkoi.with_environment(**named, **dict.fromkeys(HARMLESS, "harmless-value-1"))


def views(openkoi: Shell, cassette: Path) -> Iterator[CompletedProcess[str]]:
    """Yield all commands that show a task."""
    yield from (
        openkoi(*line)
        for line in (("replay",), ("diff",), ("context",), ("status", "--why"), ("memory", "search", "leaks"))
    )
    yield openkoi("context", "--format", "json")
    for layout in ("json", "markdown", "parquet"):
        yield openkoi("export", "--format", layout, "--output", str(openkoi.home / f"export-{layout}"))
    yield openkoi("Copy a", "--replay", str(cassette), "--format", "text", "--verbose")


@pytest.mark.sampled(2)
@pytest.mark.row("SAFE-09")
@pytest.mark.parametrize(
    ("names", "seed", "layout"),
    [(NAMES, 1, "text"), (HELD_OUT, 3, "jsonl"), (NAMES, 2, "json")],
    ids=["text", "held out", "json"],
)
def test_no_held_secret_is_written_anywhere(names: tuple[str, ...], seed: int, layout: str, tmp_path: Path) -> None:
    secrets = values(names, seed)
    unused = values(("groq", "saved", "header"), seed + 10)
    config = (
        f"[providers.groq]\napi_key = {json.dumps(unused['groq'])}\n"
        f"[providers.acme.headers]\nX-Api-Key = {json.dumps(unused['header'])}\n"
    )
    everything = {**secrets, **unused}
    openkoi = scene(tmp_path, secrets, everything, config)
    saved = openkoi.home / "credentials" / "mistral.key"
    saved.parent.mkdir(mode=0o700)
    saved.write_text(unused["saved"])
    cassette = openkoi.home / "cassette.jsonl"

    with OpenAIServer(*script(everything, config)) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        openkoi = openkoi.with_environment(**model, OPENKOI_MODEL="openai/gpt-fake", OPENKOI_LOG_LEVEL="trace")
        result = openkoi("Copy a", "--record", str(cassette), "--format", layout)
        results = [result, *views(openkoi, cassette)]

    assert 0 == result.returncode, result.stderr
    saved.unlink()
    output = "\n".join(one.stdout + one.stderr for one in results)
    assert [] == find_leaks(output, {**everything, "key": model["OPENAI_API_KEY"]})
    assert [] == find_leaks(home_text(openkoi), {**everything, "key": model["OPENAI_API_KEY"]})
    assert "[redacted]" in output


def numbered(text: str) -> str:
    """Return a text with other line ends and a number and a mark before each line."""
    return "\r\n".join(f"{n:>6}\t> {line}" for n, line in enumerate(text.splitlines(), 1))


def test_no_line_or_field_of_a_held_value_is_written_anywhere(tmp_path: Path) -> None:
    chance = random.Random(11)
    keys = ["aB3" + "".join(chance.choice(LETTERS) for _ in range(61)) for _ in range(9)]
    pem = "\n".join(("-----BEGIN PRIVATE KEY-----", *keys[:5], "-----END PRIVATE KEY-----"))
    held = {
        "DEPLOY_KEY": pem,
        "API_KEYS": f"{keys[5]},{keys[6]}",
        "SQL_CONNECTION_STRING": f"Server=tcp:db;User Id=sa;Password={keys[7]};Encrypt=yes",
        "NPM_CONFIG__AUTH": base64.b64encode(f"deploy:{keys[8]}".encode()).decode(),
    }
    openkoi = scene(tmp_path, held, {})
    (openkoi.folder / "keys.txt").write_text(numbered("\n".join(keys)))
    cassette = openkoi.home / "cassette.jsonl"
    says = [
        Say(
            [
                ToolCall("1", "read_file", {"path": "keys.txt"}),
                ToolCall("2", "run_command", {"command": "cat keys.txt"}),
            ]
        ),
        Say(f"The first is {keys[0]}; all:\n{numbered(chr(10).join(keys))}", delta=37),
    ]

    with OpenAIServer(*says) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        openkoi = openkoi.with_environment(**model, OPENKOI_MODEL="openai/gpt-fake", OPENKOI_LOG_LEVEL="trace")
        result = openkoi("Read the keys", "--record", str(cassette), "--verbose")
        output = result.stdout + result.stderr + openkoi("replay").stdout

    assert 0 == result.returncode, result.stderr
    assert "The first is [redacted]" in output
    assert [] == [key for key in keys if key[:20] in output or key[:20] in home_text(openkoi)]


def run_and_collect(
    tmp_path: Path, says: list[Say], *line: str, settings: str = "", **variables: str
) -> tuple[Any, list[Any]]:
    """Return what a task printed, and what the model was asked."""
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(f"[evaluators.judge]\nenabled = false\n{settings}")
    with OpenAIServer(*says) as server:
        report = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa", **variables}
        result = openkoi.with_environment(**report, OPENKOI_MODEL="openai/gpt-fake")(
            "Look around", "--format", "json", *line
        )
        return result, [request.json for request in server.requests if request.method == "POST"]


ENV = [Say([ToolCall("1", "run_command", {"command": "env"})]), Say("Done.")]


def test_commands_get_no_secret_and_all_else(tmp_path: Path) -> None:
    secrets = values((*NAMES, *HELD_OUT), 4)
    urls = {"DATABASE_URL": "postgres://shop:s3cr3t-of-db@db/shop", "PROXY": "http://me:pr0xy-pass@proxy:3128"}

    _, requests = run_and_collect(tmp_path, ENV, **secrets, **urls, **dict.fromkeys(HARMLESS, "harmless"))
    text = json.dumps(requests)

    assert [] == [name for name in (*secrets, *urls) if f"{name}=" in text]
    assert [] == [name for name in HARMLESS if f"{name}=harmless" not in text]


TOKEN = "ghp_" + "x1Y2z3W4" * 5
SAYS = [
    Say([ToolCall("1", "write_file", {"path": "a.txt", "content": TOKEN})]),
    Say(f"Done with {TOKEN} and 53cr3t-of-db."),
]


@pytest.mark.row("SAFE-09")
def test_what_is_masked_is_announced_once_with_place_and_reason_and_remedy(tmp_path: Path) -> None:
    done, _ = run_and_collect(tmp_path, SAYS, DB_PASS="53cr3t-of-db")
    warnings = [text for text in json.loads(done.stdout)["warnings"] if "[redacted]" in text]

    assert 2 == len(warnings), warnings
    assert any("the answer of the model" in text and "github" in text for text in warnings)
    assert any("$DB_PASS" in text for text in warnings)
    assert all("redact.allow" in text for text in warnings)
    assert TOKEN not in done.stdout + done.stderr
    assert "53cr3t-of-db" not in done.stdout + done.stderr


def test_a_kind_that_is_allowed_is_not_masked(tmp_path: Path) -> None:
    kinds = '["github-token", "github-pat", "$DB_PASS"]'
    done, _ = run_and_collect(tmp_path, SAYS, settings=f"[redact]\nallow = {kinds}\n", DB_PASS="53cr3t-of-db")

    assert f"Done with {TOKEN} and 53cr3t-of-db." in json.loads(done.stdout)["output"]


def test_an_error_of_a_server_repeats_no_secret_even_where_it_is_cut(tmp_path: Path) -> None:
    secrets = values(NAMES, 5)
    for number, length in enumerate(range(364, 424, 12)):
        message = "x " * (length // 2) + secrets["PGPASSWORD"]
        body = json.dumps({"error": {"message": message}}).encode()
        (tmp_path / str(number)).mkdir()
        done, _ = run_and_collect(
            tmp_path / str(number), [Say("", fault=ServerFault(status=401, body=body))], **secrets
        )

        assert secrets["PGPASSWORD"][:8] not in done.stdout + done.stderr


@pytest.mark.parametrize("layout", ["text", "json"])
def test_an_answer_that_ends_within_a_secret_shows_no_part_of_it(layout: str, tmp_path: Path) -> None:
    secrets = {name: value for name, value in values(NAMES, 2).items() if len(value) >= 24}
    parts = [form[: len(form) * 2 // 3] for secret in secrets.values() for form in forms(secret)]
    texts = (*parts[::9], parts[-1])
    openkoi = shell(tmp_path).with_environment(**secrets, OPENKOI_MODEL="openai/gpt-fake")
    for number, part in enumerate(texts):
        (openkoi.folder / f"cut{number}.txt").write_text(part)
    reads = [ToolCall(str(n), "run_command", {"command": f"cat cut{n}.txt"}) for n in range(len(texts))]

    with OpenAIServer(Say(reads), Say(f"Done. {texts[-1]}", delta=7)) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        openkoi = openkoi.with_environment(**model)
        result = openkoi("What is in the files?", "--no-judge", "--format", layout, "--verbose")
        output = result.stdout + result.stderr + openkoi("replay").stdout + home_text(openkoi)

    assert 0 == result.returncode, result.stderr
    assert "Done. [redacted]" in output
    assert len(texts) <= output.count(r"Exit code 0.\n[redacted]")
    assert [] == [part for part in texts if part in output]


def test_outputs_that_are_kept_because_they_are_long_hold_no_secret(tmp_path: Path) -> None:
    secrets = values(NAMES[:6], 8)
    openkoi = scene(tmp_path, secrets, secrets)
    lines = "\n".join(f"{n:05} {form}" for n in range(40) for form in map(all_forms, secrets.values()))
    (openkoi.folder / "long.txt").write_text(lines)
    says = [Say([ToolCall("1", "run_command", {"command": "cat long.txt"})]), Say("Done.")]

    with OpenAIServer(*says) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        result = openkoi.with_environment(**model, OPENKOI_MODEL="openai/gpt-fake")("Read it", "--format", "json")

    assert 0 == result.returncode, result.stderr
    kept = [path for path in openkoi.home.rglob("*.txt") if "outputs" in path.parts]
    assert [path for path in kept if path.stat().st_size > 16 * 1024]
    assert [] == find_leaks("".join(path.read_text("utf-8", "replace") for path in kept), secrets)


def test_a_line_is_not_cut_within_a_secret(tmp_path: Path) -> None:
    secret = "Zx7q" * 6
    openkoi = scene(tmp_path, {"DB_PASS": secret}, {})
    lines = ["x" * before + secret + "y" * 90 for before in range(1970, 2010, 3)]
    (openkoi.folder / "wide.txt").write_text("\n".join(lines))
    says = [Say([ToolCall("1", "read_file", {"path": "wide.txt"})]), Say("Done.")]

    with OpenAIServer(*says) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        result = openkoi.with_environment(**model, OPENKOI_MODEL="openai/gpt-fake")("Read it", "--format", "json")

    assert 0 == result.returncode, result.stderr
    assert "more characters in this line" in home_text(openkoi)
    assert secret[:8] not in home_text(openkoi)


CRASHING = """
import os
from openkoi_hookspecs import hookimpl

@hookimpl
def on_event(record):
    raise RuntimeError(os.environ["DB_PASS"] + " " + os.environ["DB_PASS"].encode().hex())

class Crash:
    def __init__(self):
        raise RuntimeError("cannot log in with " + os.environ["DB_PASS"])
"""


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
def test_a_crash_report_holds_no_secret(verbose: list[str], tmp_path: Path) -> None:
    secret = values(("DB_PASS",), 6)
    openkoi = shell(tmp_path).with_plugin(CRASHING, hooks="acme", providers="acme:Crash").with_environment(**secret)

    result = openkoi("Look around", "-m", "acme/one", *verbose)

    assert 0 != result.returncode
    assert [] == find_leaks(result.stdout + result.stderr + home_text(openkoi), secret)
    assert "[redacted]" in result.stdout + result.stderr
