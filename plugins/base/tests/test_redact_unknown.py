"""Secrets that nobody told us of are known by their format, their name or their randomness; ordinary text stays.

detect-secrets is the oracle: what it reports in generated lines has to be masked. The goals are those of the issue.
"""

import random
import re
import string
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pytest

from openkoi_base.redact import MASK, Redactor

ALPHABETS = {
    "a": string.ascii_lowercase + string.digits,
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "_-",
}
# Public formats of vendors, written as a mark and how many characters of which alphabet follow.
VENDORS = """
ghp_{A36} gho_{A36} github_pat_{A22}_{A59} glpat-{b20} xoxb-{d12}-{d12}-{A24} xapp-1-A{U10}-{d13}-{h64} AKIA{U16}
sk-{A48} sk-proj-{b100} sk-ant-api03-{b93}AA AIza{b35} ya29.{b60} GOCSPX-{b28} hf_{A34} r8_{A37} pplx-{h48} gsk_{A52}
sk_live_{A24} rk_test_{A24} whsec_{A32} sq0atp-{b22} shpat_{h32} hvs.{b90} dapi{h32} glsa_{A32}_{h8} lin_api_{A40}
PMAK-{h24}-{h34} NRAK-{U27} dop_v1_{h64} npm_{A36} pypi-AgEIcHlwaS5vcmc{b60} rubygems_{h48} dckr_pat_{b27} figd_{b40}
tskey-auth-{A12}-{A32} SG.{b22}.{b43} key-{h32} xkeysib-{h64}-{A16} {h32}-us12 sbp_{h40} pscale_tkn_{b43} sgp_{h40}
CFPAT-{b43} dp.pt.{A43} ATATT3x{b60} eyJ{b20}.eyJ{b40}.{b43} access-production-{h8}-{h4}-{h4}-{h4}-{h12} {d10}:AA{b33}
"""
STRANGERS = """
acme_live_{A32} zed-{A40} qx_{a30} frob_pat_{A44} mycorp.{A36} nimbus-api-{A26} tok_{A28} vx1_{A24} corp_sk_{A30}
kx~{A32}
"""
PLACES = (
    "{}",
    "the key is {}, keep it",
    "export X={}",
    '{{"value": "{}"}}',
    "curl -H 'X: {}'",
    "  - {}\n",
    "line\\n{}\\n",
)
ASSIGNED = """
DB_PASS={p}|password: {p}|"clientSecret": "{p}"|api_key = '{p}'|--token {p}|<password>{p}</password>|secret := "{p}"
Authorization: Bearer {A30}|Authorization: Basic {A30}|//registry/:_authToken={A30}|X-Api-Key: {A30}|https://u:{p}@h/x
curl -u user:{p} https://h|machine h login u password {p}|AccountKey={A84}==|PGPASSWORD={p} psql|passwd "{p}"
"""
ORDINARY = """
password = getpass()
token = tokenize(line)
def test_password_is_not_shown(tmp_path: Path) -> None:
password: str
"password": "Enter your password"
api_key=os.environ["API_KEY"]
secret: ${{ secrets.DEPLOY }}
PASSWORD=$PASSWORD
total_tokens: 123456789
commit 3f786850e387550fdab836ed7e6dc881de23001b
sha512-9yKqBdI3Xgh1UjZc4WdxLp0zYH5nV8rQoA2mT6sFbE7uJkGwRiNvClOtPe1SaD==
id: 7c9e6679-7425-40de-944b-e07fc1f90ae7
call_AbC1dEf2GhI3jKl4MnO5pQr6
primary_key=True
The token was spent: 3 tokens of 4,096 are left.
key = "name"
passed = 12
Cache restored from key: Linux-node-3f2883a35f6cc0ec8e80c2e6f712686a8b9d008153fb5f755301531e90a0f7b6
Saving cache with key `worker-deps-v2-ea2592ac267914b120e2b655b789e5d4ed00c14a`
billing-index-41a420c9f-c22dd   1/1   Running   3   18d
etag: W/"ba0d-kvXtN5aKsRBkGH0grz5HTFuIiew"
aws_instance.auth: Refreshing state... [id=i-05a7e3ea64cde30c4]
password: ${DB_PASSWORD}
DB_PASSWORD=${DB_PASSWORD:-}
secret: ${JWT_SECRET:?missing}
token: "%env(API_TOKEN)%"
token: $(System.AccessToken)
  --auth-token: #cdf0ae;
<AppSecretsId>8d0c2f4e-5a76-4f0b-9d52-0c9f1a3f7e21</AppSecretsId>
mysql -hdb-primary --user app --password --database shop
ping = ["CMD", "mysqladmin ping --password=\"$$(cat /run/secrets/db)\""]
--initial-cluster-token cluster-7
adduser --disabled-password --no-create-home worker
if privateKey, err = x509.ParsePKCS8PrivateKey(der.Bytes); err != nil {
    refreshToken  *RefreshTokenResponse
    tokens := strings.Builder{}
state_token = :crypto.hash(:sha256, bytes)
token = Base.decode64!(given, padding: false)
<<token::binary-size(8)>>
PasswordBox::~PasswordBox()
url = "http://127.0.0.1:#{@port}/ws?vsn=#{@vsn}"
fmt.Sprintf("postgres://app:%s@db/shop", password)
remote = https://oauth2:YOUR_DEPLOY_TOKEN@git.example.com
image: docker://alpine:3.20.1@sha256:1f2e3d4c5b6a
variables `REDIS_PASSWORD`, `BUCKET_S3_KEY`, and `BUCKET_S3_SECRET`
create role reader with password 'READER_ROLE_PASSWORD';
curl -u ADMIN_NAME:ADMIN_PW https://search.example.com
credentials=@reader-credentials.json
credentials: ~/credentials
aws secretsmanager get-secret-value --secret-id web2-ssh/host-key/private
docker login --password-stdin $ACCOUNT.dkr.ecr.$REGION.amazonaws.com
gpg --batch --recv-keys 1C3F5A7B9D0E2F4A6B8C1C3F5A7B9D0E2F4A6B8C
list.php?cmd=get&key=messages
to read a parameter (``?key=value``), call
GET /find?key=foo%20bar HTTP/1.1
key=%20%3A%23%5B%5D%40%21%24%26
login with <user>:<password>@cluster1.example.net/test
token = "%build.oauth%"
value: {{ .Values.db.password | b64enc | quote }}
token = "#{home}/.vault-token"
"@scope/credential-provider-web": "npm:^3.972.28"
<module-option name="password-stacking" value="useFirstPass"/>
<input id="id_password1" name="password1" type="password" />
"passwordLabel": "Contraseña"
"passwordLabel": "Passwort*"
<key>IDEDidComputeMac32BitWarning</key>
"S3Key": "4f0b9d520c9f1a3f7e214f0b9d520c9f1a3f7e214f0b9d520c9f1a3f7e214f0b.zip"
api_key="sk_test_list_forwards_options"
see https://docs.example.com/guide.html#UUID-a4e31a96-1f36-6293-e95a-97b4b9189060_UUID-4123a2ff
        3c:53:f6:70:31:62:e9:9d:9e:1f:ff:35:69:7f:82:
build:x:999:30000:build:/home/build:/bin/false
"""
MANIFEST = """\
apiVersion: v1
kind: Secret
metadata:
  name: store
data:
  # who logs in
  user: c2hvcA==
  password: {b64}
  {{{{- if .Values.smtp }}}}
  smtp: {{{{ .Values.smtp | b64enc }}}}
stringData:
  phrase: correct horse battery
---
apiVersion: v1
kind: ConfigMap
data:
  colour: orange
"""


def filled(template: str, chance: random.Random) -> str:
    """A template with random characters."""

    def characters(found: re.Match[str]) -> str:
        kind, size = found[1], int(found[2] or 0)
        alphabet = ALPHABETS.get(kind, "".join((string.ascii_letters, string.digits, "!#%&*+-=?@^_~")))
        text = "".join(chance.choice(alphabet) for _ in range(size or chance.randint(10, 24)))
        return text if kind != "p" else f"{chance.choice(string.ascii_letters)}{text}{chance.choice(string.digits)}x"

    return re.sub(r"\{([a-zA-Z])(\d*)\}", characters, template)


def lines_of(templates: Sequence[str], seed: int) -> list[str]:
    """Three lines of each template; a token stands in a place."""
    chance = random.Random(seed)
    return [filled(template, chance) for template in templates for _ in range(3)]


def masked_share(lines: Sequence[str]) -> float:
    """How many of the lines lose something; prints those that do not."""
    texts = [line for line in lines if MASK not in Redactor()(line)]
    print(*texts, sep="\n")
    return 1 - len(texts) / len(lines)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tokens_of_vendors_are_masked_wherever_they_stand(seed: int) -> None:
    chance = random.Random(seed)
    lines = [chance.choice(PLACES).format(token) for token in lines_of(VENDORS.split(), seed)]

    assert 0.95 <= masked_share(lines)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tokens_of_strangers_are_masked_too(seed: int) -> None:
    assert 0.85 <= masked_share(lines_of(STRANGERS.split(), seed))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_values_under_a_secret_s_name_are_masked(seed: int) -> None:
    assert 0.85 <= masked_share(lines_of(ASSIGNED.strip().replace("\n", "|").split("|"), seed))


def test_of_a_manifest_of_a_secret_the_values_alone_are_masked() -> None:
    masked = Redactor()(MANIFEST.format(b64="aG9yc2ViYXR0ZXJ5"))

    assert MANIFEST.format(b64=MASK).replace("c2hvcA==", MASK).replace("correct horse battery", MASK) == masked


@pytest.mark.parametrize("piece", ["_A", "aB", "a1-", "/a", ".a", "$a:", "%20", "a_b/", "{a}", "A.B"])
def test_what_stands_under_a_name_is_looked_at_once(piece: str) -> None:
    started = process_time()
    Redactor()(f"password={piece * 26}!\nkey: '{piece * 26}!'\nlet token: {piece * 26} = \"{piece * 26}")

    assert process_time() - started < 1  # 0.01 s; one that tries all ways to divide it takes 2**26 steps


def test_ordinary_lines_stay() -> None:
    assert [] == [line for line in ORDINARY.strip().splitlines() if Redactor()(line) != line]


def test_of_the_standard_library_s_lines_hardly_any_is_changed() -> None:
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in folder.glob("*.py") if path.stat().st_size < 60_000)
    lines = [line for path in files[::3] for line in path.read_text("utf-8", "replace").splitlines() if line.strip()]
    changed = [line for line in lines if Redactor()(line) != line]

    assert len(changed) <= 0.002 * len(lines), changed


def test_what_detect_secrets_reports_is_masked() -> None:
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import default_settings

    templates = [*VENDORS.split(), *ASSIGNED.strip().replace("\n", "|").split("|")]
    lines = lines_of(templates, 7)
    with default_settings():
        reported = [line for line in lines if any(True for _ in scan_line(line))]

    assert len(reported) > 40
    assert 0.85 <= masked_share(reported)


def test_a_secret_in_a_long_text_is_masked_like_one_in_a_short() -> None:
    token = filled("ghp_{A36}", random.Random(1))
    text = f"{'task keyboard ' * 30_000}{token}{' tokenizer' * 30_000}"

    assert text.replace(token, MASK) == Redactor()(text)
