"""One rule tells from a name whether its value is a secret."""

from itertools import product

import pytest

from openkoi_base.redact import is_secret_name

pytestmark = pytest.mark.unit

SECRET = """
PGPASSWORD MYSQL_PWD DB_PASS GPG_PASSPHRASE APIKEY clientSecret NPM_CONFIG__AUTH SENTRY_AUTH SLACK_WEBHOOK_URL
OPENAI_API_KEY AWS_ACCESS_KEY_ID GITHUB_TOKEN npm_config__authToken SMTP_PASS GOOGLE_APPLICATION_CREDENTIALS GITHUB_PAT
GIT_CONFIG_VALUE_0 x-api-key Authorization Cookie spring.datasource.password dbPassword SSHPASS API_KEY_2
SECRET_KEY_BASE --password _authToken AZURE_STORAGE_CONNECTION_STRING secretAccessKey refresh_token DISCORD_WEBHOOK
TOKEN_GITHUB
DOCKER_AUTH_CONFIG accountKey RAILS_MASTER_KEY jwt ENCRYPTION_KEY_V2 ADMIN_PASSWORD_OLD COMPOSER_AUTH pwd
"""
OTHER = """
TOKENIZERS_PARALLELISM MAX_TOKENS PASSENGER_ROOT AUTHOR KEYBOARD PATH HOME LANG PYTHONPATH MONKEY SSH_AUTH_SOCK PASSAGE
GIT_AUTHOR_NAME GIT_ASKPASS XAUTHORITY KEYMAP TOKEN_LIMIT TOKENS_PER_MINUTE BYPASS COMPASS HOTKEY PWD OLDPWD
XDG_SESSION_ID TOKEN_URL AWS_WEB_IDENTITY_TOKEN_FILE DB_PASSWORD_FILE PUBLIC_KEY PRIMARY_KEY cache_key next_token
MYSQL_ALLOW_EMPTY_PASSWORD prompt_tokens author keyboard_layout tokenizer AUTH_TYPE test_passed KEYCLOAK_URL secretary
SECRETS_DIR TLS_CERT_PATH DESKTOP_SESSION eos_token PATTERN COMPAT AUTHORITY TURKEY passthrough password_reset_url
"""
WHOSE = (["acme"], ["my", "shop"], ["prod", "db"], ["ci", "registry", "v2"])
WHAT = (
    ["password"],
    ["api", "key"],
    ["auth", "token"],
    ["secret"],
    ["passphrase"],
    ["client", "secret"],
    ["credentials"],
)
ABOUT = (["file"], ["url"], ["limit"], ["timeout"], ["type"], ["name"], ["enabled"])


def spellings(words: list[str]) -> list[str]:
    """A name in the ways that variables, settings, headers and JSON keys are written."""
    capitals = "".join(word.capitalize() for word in words)
    return [
        *("_".join(words), "_".join(words).upper(), "-".join(words), "-".join(words).title(), ".".join(words)),
        *(capitals, capitals[0].lower() + capitals[1:], f"--{'-'.join(words)}", f"{'__'.join(words)}".upper()),
    ]


@pytest.mark.parametrize("name", SECRET.split())
def test_a_name_that_means_a_secret_is_known(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize("name", OTHER.split())
def test_a_name_that_only_resembles_one_is_not(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize(("whose", "what"), list(product(WHOSE, WHAT)))
def test_it_is_known_however_it_is_spelled(whose: list[str], what: list[str]) -> None:
    assert [] == [name for name in spellings([*whose, *what]) if not is_secret_name(name)]


@pytest.mark.parametrize(("what", "about"), list(product(WHAT, ABOUT)))
def test_what_is_about_a_secret_is_none(what: list[str], about: list[str]) -> None:
    assert [] == [name for name in spellings(["acme", *what, *about]) if is_secret_name(name)]
