"""Test that unregistered secrets in commands, code and settings reach neither the log nor the terminal."""

import random
import string
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_hookspecs import ToolCall
from openkoi_testing.servers import OpenAIServer, Say

FORMS = """
docker login registry.example.com -u bob -p {}
helm registry login -u bob -p {} registry.example.com
keytool -genkeypair -alias x -keystore k.jks -storepass {} -keypass changeit
keytool -importkeystore -srckeystore a.jks -deststorepass {}
openssl rsa -in k.pem -passin pass:{} -out o.pem
sqlcmd -S db -U sa -P '{}' -Q 'select 1'
zip -P {} -r out.zip docs
ldapsearch -D cn=admin -w {} -b dc=x
    let auth_token: &str = "{}";
static CLIENT_SECRET: &'static str = "{}";
var authToken string = "{}"
API_TOKEN: Final[str] = "{}"
variable "db_password" {{ default = "{}" }}
- name: DB_PASSWORD\\n  value: {}
{{"key": "auth_token", "value": "{}", "enabled": true}}
setx API_TOKEN {}
bindpw {}
| admin password | {} |
requests.get(url, auth=('bob', '{}'))
ConvertTo-SecureString "{}" -AsPlainText -Force
curl -X POST -u $TWILIO_SID:{} https://api.twilio.com/x
curl -u "${{USER}}:{}" https://example.com
"""
PLAIN = """
docker run -p 8080:80 nginx
docker login -u bob -p $PASSWORD registry
keytool -list -keystore app.jks -storepass changeit
let token: &str = &args[1];
variable "token_ttl" {
  default = 3600
}
variable "secret_name" {
  default = "prod/app/database"
}
| token | string | the token of the user |
curl -u $SID:$TOKEN https://api.twilio.com
https://api.telegram.org/bot<token>/sendMessage
DATABASE_URL=postgres://user:password@localhost:5432/mydb
"password"=>"[FILTERED]"
Content-Security-Policy: script-src 'nonce-U1wxyMuQtJZtktU1IgNRaQ=='
Sec-WebSocket-Key: hIothJ8UwwXBEo0trft5zA==
kms_key_id = "arn:aws:kms:us-east-1:157910912637:key/36baa4e8-d1a7-4165-a54c-41b8b515d89d"
"jsonwebtoken": "^9.0.2",
reset_password_within = 6.hours
const password = user.password?.trim();
"""


def make_password(chance: random.Random) -> str:
    """Return a password as a generator makes it."""
    letters = string.ascii_letters + string.digits
    return "".join(chance.choice(letters) for _ in range(chance.randint(12, 20))) + "a7Q"


def home_text(openkoi: Shell) -> str:
    """Return all files of the home, except the copies that undo needs."""
    files = [path for path in openkoi.home.rglob("*") if path.is_file() and "checkpoints" not in path.parts]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def run_and_collect(openkoi: Shell, text: str) -> str:
    """Return all that is printed and written when a command prints a text and the model repeats it."""
    (openkoi.folder / "found.txt").write_text(text)
    says = [Say([ToolCall("1", "run_command", {"command": "cat found.txt"})]), Say(f"It says:\n{text}", delta=31)]
    with OpenAIServer(*says) as server:
        model = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-canary-4815162342aaaaaaaa"}
        openkoi = openkoi.with_environment(**model, OPENKOI_MODEL="openai/gpt-fake")
        result = openkoi("What does it say?", "--no-judge", "--format", "text")
        assert 0 == result.returncode, result.stderr
        return result.stdout + openkoi("replay").stdout + openkoi("export").stdout + home_text(openkoi)


@pytest.mark.row("SAFE-09")
@pytest.mark.parametrize("seed", [1, 2])
def test_secrets_in_commands_code_and_settings_are_masked(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    secrets = {form: make_password(chance) for form in FORMS.strip().splitlines()}
    bot = f"{chance.randrange(10**9, 10**10)}:AA{''.join(chance.choices(string.ascii_letters, k=33))}"
    lines = [form.format(secret).replace("\\n", "\n") for form, secret in secrets.items()]

    text = run_and_collect(
        shell(tmp_path), "\n".join([*lines, f"GET https://api.telegram.org/bot{bot}/getUpdates 200"])
    )

    assert [] == [form for form, secret in secrets.items() if secret in text]
    assert bot not in text


def test_lines_that_only_look_like_it_stay(tmp_path: Path) -> None:
    answer = run_and_collect(shell(tmp_path), PLAIN)

    assert [] == [line for line in PLAIN.strip().splitlines() if line not in answer]
