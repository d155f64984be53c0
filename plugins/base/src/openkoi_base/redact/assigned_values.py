"""Recognize the value that is assigned to a secret's name: ``DB_PASS=...``, ``"clientSecret": "..."``, ``--token ...``.

A name alone proves nothing, since programs are full of ``password = read()``: the value must look like a secret.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .entries import ENTRY, NEAR
from .hints import find_hints
from .keywords import lower_text
from .known import MIN_SECRET_CHARACTERS, PATH
from .names import STRONG, TOGETHER, is_secret_name, words_of
from .randomness import NAMED_HASH, are_words, is_random, kind_changes

QUOTE = r"\\{0,3}[\"'`]"
SCHEME = r"(?:(?i:bearer|basic|token|apikey|api-key|api-token|digest|key)[ \t]+)?"
QUOTED = rf"[@bruf$]?(?P<quote>{QUOTE}){SCHEME}(?P<quoted>[^\r\n\"`]{{1,600}}?)(?P=quote)"
BARE = rf"{SCHEME}(?P<bare>[^\s\"'`<>,;&\\]{{6,600}})"
CLOSED = rf"(?:{QUOTE})?(?:\[\w{{0,4}}\])?\]?"
TYPED = r"(?:: ?[A-Za-z][\w.\[\]| ]{0,30}?)?"
OPERATOR = (
    r"[ \t]{0,4}(?:(?:=>|:=|={1,3}|!={1,2}|:{1,2}=?)[ \t]{0,8}(?:[>|][+-]?[ \t]{0,4}(?:\n|\\n)\s{0,40})?|>\s{0,12})"
)
SET = lazy_pattern(rf"{CLOSED}[ \t]{{0,4}}{TYPED}{OPERATOR}(?:{QUOTED}|{BARE})")
PASSED = lazy_pattern(
    rf"{CLOSED}(?:[ \t]{{0,3}}[,(][ \t]{{0,3}}|[ \t]{{1,3}}(?:(?i:by|is|to|as)[ \t]{{1,3}})?){QUOTED}"
)
OPTION = lazy_pattern(r"[ \t]{1,3}(?P<bare>[^\s\"'`<>,;&\\]{6,600})")
TYPE = r"[&*\[\]A-Za-z][\w.\[\]|<>&*' ]{0,40}?"
DECLARED = lazy_pattern(  # let a: &str = "..."
    rf"[ \t]{{0,4}}(?:: ?{TYPE}[ \t]{{0,4}}|[ \t]{TYPE}[ \t]{{1,4}}):?=[ \t]{{0,8}}{QUOTED}"
)
STATED = lazy_pattern(r"[ \t]{1,3}(?i:is|was|to)[ \t]{1,3}(?P<bare>[^\s\"'`<>,;&\\]{6,600})")
CELL = lazy_pattern(r"[ \t]{0,20}\|[ \t]{0,20}(?P<bare>[^\s\"'`|\\]{6,100})[ \t]{0,40}\|(?![^\n|]*\}\})")
ALONE = lazy_pattern(r"[ \t]{1,8}(?P<bare>[^\s\"'`<>,;&\\=(){}\[\]|]{6,600})(?=[ \t]*(?:$|[\r\n]|\\[nr]))")
BEGINS = lazy_pattern(r"(?:^|[\r\n]|\\n|(?i:set|setx|setenv|config)[ \t])[ \t]*$")
VALUE = lazy_pattern(  # of an entry: {"key": "auth_token", "value": "..."}, variable "db_password" { default = "..." }
    rf"{CLOSED}(?:(?!\b(?i:name|key|variable)\b[\"' \t]*[:=])[^{{}}]|\{{(?!\{{)){{0,240}}?"
    rf"\b(?i:value|default)\b(?:{QUOTE})?[ \t]{{0,20}}[:=][ \t]{{0,8}}(?:{QUOTED}|{BARE})"
)
SHORT_NUMBER = 4  # digits
REFERENCE = lazy_pattern(  # a value that is read from elsewhere when the text is used
    r"\$\{[\w.:?!/= -]*\}|\$\([^()]*\)|\$\w{2,}|\{\{[^{}]*\}\}|\{[\w.!:()\[\], ]*\}"
    r"|%\(\w+\)s|%\w+\([^()]*\)%|%[sdr]|%\w+%|%\{[^{}]*\}|<%.*?%>|<[\w .:-]+>|\[[A-Za-z_ -]+\]"
    r"|\$\{\w+:?[?+-][^{}]*$|^\*[a-z_-]+$|%[\w.]+%|%[\dA-F]{2}|^@[\w./-]+\.[a-z]{2,5}$|^[?&][\w.-]+=$"
    r"|\\\([\w.]+\)"
)
CODE = lazy_pattern(
    r"(?:await |new |\*|&|!|~|:{1,2})?[A-Za-z_][\w.]*(?:-[a-z]+)*(?:[!?]?\(|\[|\.\w+\(|->|::|\?\.).*|\*[A-Za-z_][\w.]*"
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*\{.*|[A-Za-z_][\w.]*\)\..*|@{1,2}[a-z_]+(?:[).,\[-].*)?|[A-Z][A-Za-z]*\?"
    r"|\.[a-z]\w*\(.*"
    r"|[\[{(].*|_\w+\.\w+|(?:os\.|process\.|self\.|this\.|[a-z]+\.[a-z_]+\.).*"
)
EMBEDDED = lazy_pattern(  # code in a text, or around it, and an option
    r"#\{.*|\$\{[\w.]+[(\[].*|\+.*\+|(?:\$\w+(?:\[\w+\])?[:/-]?)+|%\w+\[.*|--[a-z][a-z-]+(?:=.*)?"
)
WRITTEN = lazy_pattern(  # what stands after a name and is another word of the line: an option, a host, a field
    r"--?[a-z][a-z-]*=?|[+?][a-z-]+|[a-z_]+=|(?:id|source|src|type|env)=.*|@[\w-]+(?:\.[\w-]+)+(?:[/:?].*)?"
)
CALL = lazy_pattern(r"[A-Za-z_][\w.]*(?:\(.*\)|\[.*\])")
PLACEHOLDER = lazy_pattern(
    r"(?i)example|placeholder|change.?(?:me|this|it)|your|x{4}|\*{3}|^\*\*[a-z]+\*\*$|\.{3}|redacted|insert|replace|todo|dummy|sample|fake"
    r"|\[a-[fz]|(?:strong|secure|super.?secret).?pass"
    r"|not.?(?:set|real|needed|secret|used|a.?)|my.?(?:secret|password|token|key)|(.)\1{5}|^(?:none|null|nil)$|_here"
)
WORDY = lazy_pattern(r"[A-Za-z_]*+(?:[.:/-][A-Za-z_]++)*+[.-]?\d{0,3}\*?")
IDENTIFIER = lazy_pattern(r"(?:[A-Z]{0,5}+[a-z]{2,}+\d{0,3}+)++")  # words of a name in code
CONSTANT = lazy_pattern(r"[A-Z]{2,}\d?(?:_[A-Z]+\d?|_\d)+")  # the name of a variable
NUMBERS = lazy_pattern(
    r"[\d.,:TZ+/_ -]+|0x[\da-fA-F]+|#[\da-fA-F]{3,8}|[a-z]{1,8}-[\da-f]{8,17}|\d+(?:\.\d+)?[a-z]{1,3}"
    r"|urn:[\w:-]+|\{[\da-fA-F-]{36}\}|[\da-f]{16,}\.[a-z]{2,4}|/*[a-z]+\d?(?:[_-][a-z]+\d?)*(?:/[a-z]+\d?(?:[_-][a-z]+\d?)*)+|[a-z_]+[?!]?/\d{1,2}"
    r"|(?:npm:)?[~^<>=v]{0,2}\d+(?:\.[\dx*]+)+(?:[-+][\w.]+)?|\d+\.[a-z_]+|arn:[\w-]+:.*|(?:localhost|[\w-]+(?:\.[\w-]+)+):\d{2,5}"
)
QUALIFIED = lazy_pattern(r"~?(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*[A-Za-z]")  # the name of a type or a field
JOINT = lazy_pattern(r"[a-z\d][A-Z]|[._]")
GETTER = lazy_pattern(r"(?:^|[.:])(?:get|fetch|find|load|read|has|delete|remove)[_A-Z]\w*$")
NUMBERED_WORD = lazy_pattern(r"[a-z]{3,}\d{1,2}_?[a-z]{3,}")  # base64url, aws4_request
UUID = lazy_pattern(r"[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}")


def match_value(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the match of the value that belongs to the name between two positions, in any notation."""
    before = text[max(0, start - NEAR) : start]
    found = VALUE.match(text, end) if ENTRY.search(before) else None
    for way in (SET, PASSED, DECLARED, STATED, CELL):
        found = found or way.match(text, end)
    if found and found.re is PASSED and not is_passed_secret(text[start:end], found["quoted"]):
        return None
    if found and found.re is DECLARED and text[start - 1 : start] == "<":  # an attribute of an element
        return None
    if not found and text.startswith("-", start):
        found = OPTION.match(text, end)
    return found or (ALONE.match(text, end) if BEGINS.search(before) else None)


def is_passed_secret(name: str, value: str) -> bool:
    """Return whether an argument may be a secret, depending on the function: one that reads a name gets no secret."""
    named = is_secret_name(name.rpartition(".")[2]) and not GETTER.search(name)
    return named and not NUMBERED_WORD.fullmatch(value)


def secret_values(found: re.Match[str], name: str) -> Iterator[tuple[int, int, str]]:
    """Yield the position of a match's value if it looks like a secret, without trailing punctuation."""
    quoted = found.groupdict().get("quoted")
    group = "quoted" if quoted else "bare"
    whole = found[group]
    value = whole if quoted else whole.rstrip(").]}{:")
    if len(REFERENCE.sub("", whole)) >= MIN_SECRET_CHARACTERS and looks_secret(value, name, quoted=bool(quoted)):
        start = found.start(group)
        yield start, start + len(value), re.split(r"[:/@]", name)[-1].lstrip("-")[:60]


def looks_secret(value: str, name: str, *, quoted: bool) -> bool:
    """Return whether a value under a secret's name is a secret, and not a reference, placeholder, path, number, code or
    word.
    """
    bare = REFERENCE.sub("", value)
    if (
        len(bare) < MIN_SECRET_CHARACTERS
        or " " in value
        or "://" in value
        or value.startswith("//")
        or not is_likely(bare, name, quoted=quoted)
    ):
        return False
    ordinary = any(kind.fullmatch(bare) for kind in (PATH, NUMBERS, CONSTANT)) or are_path_words(bare)
    ordinary = ordinary or is_code_or_word(value, quoted=quoted) or (not quoted and names_secret(value))
    return not (ordinary or PLACEHOLDER.search(bare))


def are_path_words(value: str) -> bool:
    """Return whether a value is words and small numbers with slashes between them."""
    parts = re.split(r"[/.@:+_,-]", value)
    return "/" in value and all(are_words(part) or (part.isdigit() and len(part) <= SHORT_NUMBER) for part in parts)


def names_secret(value: str) -> bool:
    """Return whether a value is the name of a secret, such as that of a type or a field."""
    if not (QUALIFIED.fullmatch(value) and JOINT.search(value) and any(find_hints(lower_text(value)))):
        return False
    return len(re.findall(r"\d+", value)) <= SHORT_NUMBER // 2


def is_code_or_word(value: str, *, quoted: bool) -> bool:
    """Return whether a value is code, or an ordinary word of a command or a line."""
    return any(kind.fullmatch(value) for kind in (EMBEDDED, *((CALL,) if quoted else (CODE, WRITTEN))))


def is_likely(value: str, name: str, *, quoted: bool) -> bool:
    """Return whether a value is mixed enough for its name."""
    if is_strong(name):
        return is_mixed(value, quoted=quoted)
    rest = UUID.sub("", value)
    ordinary = NAMED_HASH.fullmatch(value) or IDENTIFIER.fullmatch(value)
    return not ordinary and is_random(rest, length=16 if len(words_of(name)) > 1 else 20)


def is_strong(name: str) -> bool:
    """Return whether a name can only be a secret's; a ``key`` may be a dictionary's."""
    words = words_of(name)
    return bool(
        STRONG & set(words) or TOGETHER.search("".join(words)) or (len(words) > 1 and words[-1] in ("PASS", "PW"))
    )


def is_mixed(value: str, *, quoted: bool) -> bool:
    """Return whether a password is more than words: random, or with digits or punctuation among its letters."""
    if is_random(value, length=12) or UUID.fullmatch(value):
        return True
    if not value.isascii() and not any(map(str.isdigit, value)):  # a label of a form in another language
        return False
    if WORDY.fullmatch(value):
        return (len(value) >= 12 and kind_changes(value) >= 0.5) or (
            quoted and bool(re.fullmatch(r"[A-Za-z]{5,}\d+", value))
        )
    return len(value) >= (8 if quoted else 10) or bool(re.search(r"\d", value))
