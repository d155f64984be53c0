"""A held value passes in no part either: line by line, field by field, item by item."""

import base64
import json
import random
import string
import textwrap
from urllib.parse import quote

import pytest

from openkoi_base.redact import MASK, Redactor, environment_secrets
from openkoi_base.redact.parts import parts_of

LETTERS = string.ascii_letters + string.digits
CHANCE = random.Random(7)


def random_key(length: int = 24) -> str:
    """Return random letters and digits."""
    return "a1B" + "".join(CHANCE.choice(LETTERS) for _ in range(length - 3))


LINES = [random_key(64) for _ in range(12)]
PEM = "\n".join(("-----BEGIN RSA PRIVATE KEY-----", *LINES, "-----END RSA PRIVATE KEY-----"))
FIRST, SECOND = random_key(), random_key()
SIGNATURE = f"{FIRST}/+="
PASSWORD = "Tr0ub4dor&3-horse"
LOGIN = base64.b64encode(f"deploy:{PASSWORD}".encode()).decode()
PRIVATE = {"type": "service_account", "private_key_id": FIRST, "private_key": PEM, "client_id": "1234567890123"}


@pytest.mark.parametrize("value", [PEM, PEM.replace("\n", "\\n"), PEM.replace("\n", "\r\n")])
@pytest.mark.parametrize("layout", ["{}", "{}\r", "    {}", "> {}", "{}  # key", "12: {}", "    12\t{}", "+{}"])
def test_a_value_of_several_lines_is_masked_line_by_line(value: str, layout: str) -> None:
    redact = Redactor(environment_secrets({"DEPLOY_KEY": value}))

    for line in LINES:
        assert layout.format(MASK) == redact(layout.format(line))


def test_a_line_of_a_value_is_masked_in_all_encodings() -> None:
    redact, line = Redactor(environment_secrets({"DEPLOY_KEY": PEM})), LINES[3]

    for shape in (
        line.encode().hex(),
        base64.b64encode(line.encode()).decode().rstrip("="),
        f"%{line.encode().hex('%')}",
    ):
        assert shape not in redact(f"it is {shape} in a line")


def test_the_markers_of_a_private_key_are_not_held() -> None:
    assert [] == [part for part in parts_of(PEM) if "-----" in part]


HOLDERS = {
    "a list": ("API_KEYS", f"{FIRST},{SECOND}", [FIRST, SECOND]),
    "a list with semicolons": ("API_KEYS", f"{FIRST}; {SECOND}", [FIRST, SECOND]),
    "a list in JSON": ("API_KEYS", json.dumps([FIRST, SECOND]), [FIRST, SECOND]),
    "a connection string": (
        "SQL_CONNSTR",
        f"Server=tcp:db,1433;User Id=sa;Password={PASSWORD};Encrypt=yes",
        [PASSWORD],
    ),
    "one of ODBC": ("ODBC_CONNECTION_STRING", f"Driver=x;UID=sa;PWD={PASSWORD};", [PASSWORD]),
    "one without a secret's name": ("CONNECTION", f"Server=db;Password={PASSWORD};Encrypt=yes", [PASSWORD]),
    "one of libpq": ("PG_DSN", f"host=db user=shop password={PASSWORD} dbname=shop", [PASSWORD]),
    "one of libpq in quotes": ("PG_DSN", f"host=db password='{PASSWORD} x' dbname=shop", [f"{PASSWORD} x"]),
    "one of Azure": (
        "AZURE_CONNECTION_STRING",
        f"AccountName=shop;AccountKey={FIRST}==;EndpointSuffix=x",
        [f"{FIRST}=="],
    ),
    "credentials in JSON": ("GOOGLE_CREDENTIALS", json.dumps(PRIVATE), [FIRST, *LINES]),
    "credentials in base64": ("GOOGLE_CREDENTIALS", base64.b64encode(json.dumps(PRIVATE).encode()).decode(), LINES),
    "a login in base64": ("NPM_CONFIG__AUTH", LOGIN, [PASSWORD]),
    "a login": ("BASIC_AUTH", f"deploy:{PASSWORD}", [PASSWORD]),
    "a login of docker": ("DOCKER_AUTH", json.dumps({"auths": {"h": {"auth": LOGIN}}}), [PASSWORD, LOGIN]),
    "a webhook": ("SLACK_WEBHOOK_URL", f"https://hooks.example.com/services/T0/B0/{FIRST}", [FIRST]),
    "a webhook with the key in the middle": ("TEAMS_WEBHOOK_URL", f"https://h.example.com/hook/{FIRST}/d9", [FIRST]),
    "an object of keys": ("API_TOKENS", json.dumps({"prod": FIRST, "dev": SECOND}), [FIRST, SECOND]),
    "a line of npm's settings": ("NPM_TOKEN_LINE", f"//registry.example.org/:_authToken={FIRST}", [FIRST]),
    "base64 without its padding": ("BUS_CONNSTR", f"Endpoint=sb://x.example.net/;SharedAccessKey={FIRST}=", [FIRST]),
    "a token in a URL": ("FEED_WEBHOOK_URL", f"https://h.example.com/feed?x=1&token={FIRST}", [FIRST]),
    "a signature in a URL": (
        "FLOW_WEBHOOK_URL",
        f"https://h.example.com/feed?sv=1&sig={quote(SIGNATURE)}",
        [SIGNATURE],
    ),
    "a header with a scheme": ("AUTH_HEADER", f"Authorization: Token {FIRST}", [FIRST]),
    "a header": ("API_AUTH", f"X-Api-Key: {FIRST}", [FIRST]),
    "a scheme": ("API_AUTH", f"Bearer {FIRST}", [FIRST]),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_the_secret_parts_of_a_held_value_are_masked(name: str) -> None:
    variable, value, parts = HOLDERS[name]
    redact = Redactor(environment_secrets({variable: value}))

    for part in parts:
        assert part not in redact(f"it is {part} in a line")
        assert part.encode().hex() not in redact(part.encode().hex())


@pytest.mark.parametrize(
    "value",
    [
        "Server=db;Database=production;Password=changeme;Trusted=yes",
        "host=db user=shop password=secret dbname=shop",
        json.dumps({"type": "service_account", "token_uri": "https://oauth2.example.com/token", "project": "shop-1"}),
        json.dumps({"type": "service_account", "auth_uri": "https://example.com/auth"}, indent=4),
        "https://hooks.example.com/services/production-deploy",
        "first line\nsecond line\n\n",
        "production,staging,development-servers",
    ],
)
def test_ordinary_words_of_a_value_are_not_held(value: str) -> None:
    assert [] == [*parts_of(value)]


def test_many_held_lines_take_no_more_time_than_few() -> None:
    text = "\n".join(textwrap.wrap("an ordinary line of text about something else " * 2_000, 70))
    redact = Redactor(environment_secrets({f"KEY_{n}": PEM.replace("a1B", f"b{n:02}") for n in range(3)}))

    assert text == redact(text)
    assert len(redact.forms.grams.short) < len(redact.forms.origins) / 20
