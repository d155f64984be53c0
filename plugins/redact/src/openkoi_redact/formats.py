"""Know secrets by their format: gitleaks' rules (``gitleaks.json``), and formats that are not among them.

An expression runs only near a keyword of its rule: most texts need no closer look.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from .keywords import any_of, lowered
from .randomness import entropy

BEFORE, AFTER = 200, 4096  # how far around a keyword a secret may stand
REST_OF_TOKEN = re.compile(r"[\w+/=.~-]*")
START = re.compile(r"(?<![\w-])|(?<=\\[nrt])|(?<=\\u[\da-f]{4})")  # tried at a match: searched for, it is slow
WORD = re.compile(r"\b|(?<=\\[nrt])")
# Formats as the vendors document them. Keywords in small letters, then the expression after START.
PREFIXES = {
    "openai-style-key": ("sk-", r"sk-(?:[a-z]{2,8}\d{0,2}-)?[\w-]{20,}"),
    "google-api-key": ("aiza", r"AIza[\w-]{35}"),
    "google-oauth": ("ya29. gocspx- 1//0", r"(?:ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,})"),
    "github-token": ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"(?:gh[pousr]_\w{30,}|github_pat_\w{22,})"),
    "gitlab-token": ("gl", r"gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[\w.-]{16,}"),
    "slack-token": ("xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?-[\w-]{10,}|xapp-\d-[\w-]{10,})"),
    "aws-access-key": ("akia asia abia acca aroa", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    "notion-token": ("ntn_ secret_", r"(?:ntn_\w{20,}|secret_[A-Za-z0-9]{40,})"),
    "model-provider-key": (
        "gsk_ xai- hf_ r8_ pplx- nvapi- csk- fw_ tvly- pcsk_ jina_ lsv2_ api_org_ pa- sk_ key_ fc- e2b_ tgp_",
        r"(?:gsk_\w{20,}|xai-\w{20,}|hf_\w{30,}|api_org_\w{30,}|r8_\w{30,}|pplx-\w{30,}|nvapi-[\w-]{30,}|csk-\w{30,}"
        r"|fw_\w{20,}|tvly-[\w-]{20,}|pcsk_\w{30,}|jina_\w{30,}|lsv2_(?:pt|sk)_\w{20,}|pa-[\w-]{40,}|sk_[a-f0-9]{40,}"
        r"|key_[a-f0-9]{40,}|fc-[a-f0-9]{32}|e2b_[a-f0-9]{32,}|tgp_v\d_[\w-]{30,})",
    ),
    "npm-token": ("npm_", r"npm_\w{36}"),
    "pypi-token": ("pypi-", r"pypi-[\w-]{40,}"),
    "stripe-key": ("_live_ _test_ whsec_", r"(?:(?:sk|rk|pk)_(?:live|test)_\w{10,}|whsec_[\w+/=]{20,})"),
    "square-token": ("sq0 eaaa", r"(?:sq0[a-z]{3}-[\w-]{20,}|EAAA[\w-]{56,})"),
    "shopify-token": ("shp", r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}"),
    "vault-token": ("hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    "terraform-token": (".atlasv1.", r"\w{14}\.atlasv1\.[\w-]{40,}"),
    "databricks-token": ("dapi dkea dose", r"(?:dapi|dkea|dose)[0-9a-f]{32}(?:-\d)?"),
    "grafana-token": ("glsa_ glc_", r"(?:glsa_\w{32,}|glc_[\w+/=]{32,})"),
    "linear-key": ("lin_", r"lin_(?:api|oauth)_\w{32,}"),
    "postman-key": ("pmak-", r"PMAK-[\da-f]{24}-[\da-f]{34}"),
    "new-relic-key": ("nrak nrjs nrii nral nraa", r"NR(?:AK|JS|II|AL|AA|RA)-?[\w-]{15,}"),
    "sentry-token": ("sntry", r"sntry[su]_[\w+/=.-]{30,}"),
    "doppler-token": ("dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?\w{40,44}"),
    "deploy-platform-token": (
        "nfp_ sbp_ rnd_ dop_v1_ doo_v1_ dor_v1_ pul- fo1_ pscale_ napi_ ep_ vcp_ vck_ re_",
        r"(?:nf[pcoubr]_\w{36,}|sbp_(?:v\d_)?[\da-f]{40}|sb_(?:secret|publishable)_[\w-]{20,}|rnd_\w{20,}|do[por]_v1_[\da-f]{64}"
        r"|pul-[\da-f]{40}|fo1_[\w-]{43}|pscale_(?:tkn|pw|oauth)_[\w=.-]{30,}|napi_\w{40,}|vc[pkai]_\w{24,}|re_\w{8,}_\w{20,})",
    ),
    "package-registry-token": (
        "rubygems_ cio oy2 dckr_ clojars_",
        r"(?:rubygems_[\da-f]{48}|cio[A-Za-z0-9]{32}|oy2[a-z0-9]{43}|dckr_(?:pat|oat)_[\w-]{20,}|CLOJARS_[\da-z]{60})",
    ),
    "atlassian-token": ("atatt atctt atbb", r"(?:AT[AC]TT3[\w=-]{20,}|ATBB[\w]{20,})"),
    "developer-tool-token": (
        "figd_ figu_ tskey- ops_ sqp_ sqa_ squ_ ccipat_ bkua_ sgp_ pnu_ ntfy tk_ cfpat- sdk- mob- api- dt0 ddp_ pubkey",
        r"(?:fig[duoh]_[\w-]{20,}|tskey-[a-z]+-\w{6,}-?\w{10,}|ops_eyJ[\w+/=-]{50,}|sq[pau]_[\da-f]{40}|CCIPAT_\w{10,}_[\da-f]{20,}"
        r"|bkua_[\da-f]{40}|sgp_(?:[\da-fA-F]{16}_|local_)?[\da-fA-F]{40}|pnu_\w{36}|CFPAT-[\w-]{40,}"
        r"|(?:sdk|mob|api)-[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|dt0[a-z]\d\d\.\w{20,}\.\w{60,}|ddp_\w{34,})",
    ),
    "mail-service-key": (
        "sg. key- xkeysib- xsmtpsib- -us",
        r"(?:SG\.[\w-]{16,}\.[\w-]{30,}|key-[\da-f]{32}|xk?(?:ey|smtp)sib-[\da-f]{60,}-\w{16}|[\da-f]{32}-us\d{1,2})",
    ),
    "telegram-bot-token": (":a", r"\d{8,10}:A[\w-]{34}(?![\w-])"),
    "discord-bot-token": (".", r"[MNO][A-Za-z\d_-]{22,28}\.[\w-]{6}\.[\w-]{25,40}"),
    "mapbox-token": ("pk.eyj sk.eyj tk.eyj", r"[pst]k\.eyJ[\w-]{20,}\.[\w-]{20,}"),
    "plaid-token": ("access-", r"access-(?:sandbox|development|production)-[\da-f-]{36}"),
    "airtable-token": ("pat", r"pat\w{14}\.[\da-f]{64}"),
    "jwt": (
        "eyj",
        r"(?:(?<![\w-]{3})|(?<=\\u[\da-f]{4}))eyJ[\w-]{10,}\.(?:eyJ[\w-]{10,}(?:\.[\w/=\\-]*)*|[\w-]{10,}(?:\.[\w-]+)+)",
    ),
    "openshift-token": ("sha256~", r"sha256~[\w-]{40,}"),
    "artifactory-key": (
        "akc ap2 ap3 ap5 ap6 apa apb cmvm",
        r"(?:AKC[\w]{10,}|AP[\dABCDEF][a-zA-Z0-9]{60,}|cmVmd\w{50,})",
    ),
    "yandex-key": ("aqvn y0_ t1.", r"(?:AQVN[\w-]{35,38}|y0_[\w-]{50,}|t1\.[A-Z0-9][\w-]+=?\.[\w-]{80,})"),
    "adyen-key": ("aqe", r"AQE[\w]{20,}[\w+/=.-]{20,}"),
    "age-key": ("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    "bedrock-key": ("bedrock-api-key- absk", r"(?:bedrock-api-key-[\w+/=]{20,}|ABSK[\w+/]{60,}={0,2})"),
    "zapier-style-hook": ("whk_ evtsec_", r"(?:whk|evtsec)_\w{20,}"),
}
# Between the lines of a key: what tools write before each, and any few characters (quotes, commas) if a line follows.
NEXT_LINE = (
    r"(?:\r|\\+r)?(?:\n|\\+n)(?:[ \t]|\\+t)*(?:\d{1,7}[ \t]*[|:>]|[|>#*+-](?!----))?(?:[ \t]|\\+t)*"
    r"|[^\w+/=](?:(?!-----)[\s\S]){0,47}?(?=[\w+/]{40}|[\w+/]{4,76}={0,2}[^\w+/=](?:(?!-----)[\s\S]){0,47}?-----END)"
)
# Formats that do not begin with a mark of their own; group 1 is the secret.
SHAPES = {
    "private-key": (
        "-----begin",
        rf"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)(?:{NEXT_LINE}|[\w+/=\s:,.()-]|\\+[nrt]))*"
        r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    "putty-key": ("private-lines", rf"Private-Lines: ?\d+(?:{NEXT_LINE})((?:[\w+/=]+(?:{NEXT_LINE})?)+)"),
    "url-login": ("://", r"(?<=://)([^\s/:@\"'\\,?#<>{}$]*:[^\s/@\"'\\,]+)(?=@)"),
    "url-token": ("://", r"(?<=://)([A-Za-z0-9_-]{20,})(?=@)"),
    "bearer-token": ("bearer", r"(?i:bearer(?: |%20|\+|: ?|=)\"?)([\w.~+/-]{16,}=*)"),
    "basic-authorization": ("basic ", r"(?i:(?:authorization|auth)\\?[\"']?[:= ]+\\?[\"']?basic )([\w+/=-]{6,})"),
    "authorization-header": (
        "authorization",
        r"(?i:authorization\\?[\"']?\s?[:=]\s{0,3}\\?[\"']?(?:[\w-]{3,20} )?)((?=[^\s\"']*\d)[\w.~+/@=:-]{12,})",
    ),
    "cookie": (
        "cookie",
        r"(?i:\b(?:set-)?cookie\\?[\"']? ?[:=] ?\\?[\"']?)"
        r"((?:[\w.%-]{1,40}=[^;\s\"'\\]{0,80}; ?){0,3}?[\w.%-]{1,60}=(?=[^;\s\"']{0,80}\d)[^;\s\"'\\]{10,})",
    ),
    "webhook": (
        "/webhook hooks. /hooks/ webhook.office",
        r"(?i)https?://[\w.-]*(?:discord(?:app)?\.com/api/webhooks|hooks\.slack\.com/(?:services|workflows|triggers)"
        r"|webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch|chat\.googleapis\.com/v1/spaces)/([\w/@?&=.%-]{16,})",
    ),
    "connection-key": (
        "accountkey= sharedaccesskey= endpoint=sb",
        r"(?i:(?:Account|SharedAccess)Key=)([\w+/]{20,}={0,2})",
    ),
    "connection-password": ("password= pwd=", r"(?i:;\s?(?:password|pwd)=)([^;\s\"'{}$<>]{4,})"),
    "signed-url": (
        "sig= signature= x-amz- awsaccesskeyid",
        r"(?i:[?&](?:amp;)?(?:sig|signature|x-amz-signature|x-amz-security-token|x-goog-signature)=)([\w%+/=.-]{16,})",
    ),
    "query-secret": (
        "key= token= secret= auth= password= passwd= pwd=",
        r"(?i:[?&](?:amp;)?[\w.-]{0,30}(?:key|token|secret|auth|password|passwd|pwd)=)([^\s&\"'<>#{}$\\]{8,})",
    ),
    "password-hash": ("$", r"(\$(?:2[abxy]?|[156y]|argon2\w{1,2}|scrypt|apr1)\$[\w./,=$+-]{20,})"),
    "netrc": ("login ", r"\blogin\s+\S+\s+password\s+(\S{4,})"),
    "command-login": (
        "curl wget http sshpass mysql redis-cli docker ",
        r"\b(?:curl|wget)\b[^|]{0,160}?\s(?:-u|--user)[ =]?\s{0,2}[\"']?"
        r"([^\s\"'$:<]*:(?!\$)[\"']?[^\s\"'<]{3,}|[^\s\"'$:<]{6,}:(?=[\"']))",
    ),
    "command-password": (
        "sshpass mysql redis-cli -a",
        r"\b(?:sshpass -p ?|mysql\w* [^\n|]{0,80}?-p|redis-cli [^\n|]{0,80}?-a )[\"']?([^\s\"'$-][^\s\"'$]{4,})",
    ),
    "sql-password": (
        "identified by with password",
        r"(?i:identified (?:with \w+ )?by|with (?:encrypted )?password|set password\s?=)\s+'([^'\s]{4,})'",
    ),
    "docker-auth": ("auth", r"\"auth\\?\"\s?:\s?\\?\"([\w+/=]{12,})\\?\""),
    "pgpass": (":", r"(?m)^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:(\S{6,})$"),
    "facebook-token": ("| %", r"\b(\d{15,16}[|%][\w-]{27,40})"),
    "xml-setting": (
        "value=",
        r"(?i:(?:key|name)=\\?[\"'][\w.:-]*(?:password|passwd|secret|token|apikey|connectionstring)[\w.:-]*\\?[\"']\s+value=\\?[\"'])([^\"'\\]{6,})",
    ),
    "kubernetes-secret": (
        "kind:",
        r"(?is)(?:kind: ?[\"']?secret\b.{0,2000}?\n[ \t]*data:"
        r"|\n[ \t]*data:(?=.{0,2000}?\n[ \t]*kind: ?[\"']?secret\b))"
        r"((?:\s*\n[ \t]+(?!annotations|metadata|kind|type)[^\n]*)+)",
    ),
}
UNKNOWN = "unknown-token"
HEAVY = {"private-key", "putty-key"}  # longer than AFTER


@dataclass(frozen=True, eq=False)
class Format:
    """A kind of secret: words of which one is in every text that has it, and what it looks like."""

    id: str
    keywords: tuple[str, ...]
    source: str
    group: int = 0
    entropy: float = 0.0
    start: re.Pattern[str] | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when a keyword is met for the first time."""
        return re.compile(self.source)

    def find(self, text: str, hits: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
        """Where it stands in the stretches of a text that are near its keywords."""
        for start, end in hits:
            for found in self.pattern.finditer(text, start, end):
                if self.start and not self.start.match(text, found.start()):
                    continue
                group = self.group or min(1, self.pattern.groups)
                first, last = found.span(group) if found[group] is not None else found.span()
                if last == end:
                    rest = REST_OF_TOKEN.match(text, end)
                    last = rest.end() if rest else last
                if not self.entropy or entropy(text[first:last]) > self.entropy:
                    yield first, last, self.id


@cache
def formats() -> Sequence[Format]:
    """All formats; read when the first text is looked at that is long enough to hold a secret."""
    rules = json.loads(files(__package__).joinpath("gitleaks.json").read_text("utf-8"))
    ours = [Format(id, tuple(words.split()), source, start=START) for id, (words, source) in PREFIXES.items()]
    shapes = [Format(id, tuple(words.split()), source) for id, (words, source) in SHAPES.items()]
    theirs = [
        Format(
            rule["id"],
            tuple(rule["keywords"]),
            rule["pattern"],
            rule["group"],
            rule["entropy"],
            WORD if rule["word"] else None,
        )
        for rule in rules
    ]
    return (*shapes, *ours, *theirs)


@cache
def ids() -> frozenset[str]:
    """The kinds of secrets that are known by their format."""
    return frozenset({UNKNOWN, *(one.id for one in formats())})


@cache
def keywords() -> "Keywords":
    """The keywords of all formats."""
    return Keywords(formats())


class Keywords:
    """Finds the keywords of formats in one pass over a text."""

    def __init__(self, known: Sequence[Format]) -> None:
        meant: dict[str, list[int]] = {}
        for place, one in enumerate(known):
            for word in one.keywords:
                meant.setdefault(word, []).append(place)
        self.pattern = re.compile(f"(?=({any_of(sorted(meant))}))")
        self.formats = {word: [known[place] for place in beginning(word, meant)] for word in meant}

    def hits(self, text: str) -> Mapping[Format, list[int]]:
        """The formats that a text may hold, with the places of their keywords."""
        found: dict[Format, list[int]] = {}
        for hit in self.pattern.finditer(lowered(text)):
            for one in self.formats[hit[1]]:
                found.setdefault(one, []).append(hit.start())
        return found


def beginning(word: str, meant: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the places of the formats of which a keyword begins the word, or is the word itself."""
    return sorted({place for end in range(1, len(word) + 1) for place in meant.get(word[:end], ())})


def formatted(text: str) -> Iterator[tuple[int, int, str]]:
    """Where secrets of a known format stand in a text, and which format that is."""
    for one, places in keywords().hits(text).items():
        whole = len(text) <= AFTER or one.id in HEAVY
        yield from one.find(text, [(0, len(text))] if whole else stretches(places, len(text)))


def stretches(places: Sequence[int], size: int) -> list[tuple[int, int]]:
    """The surroundings of places, joined where they overlap."""
    found: list[tuple[int, int]] = []
    for place in places:
        start, end = max(0, place - BEFORE), min(size, place + AFTER)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
