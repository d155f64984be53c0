"""Names and sentences in the source are the field's: no translated words, few shared or nameless names.

The figures are those that a reader who had not seen the code asked for.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SUGGESTIONS = {
    "told|said|untold": "show, report, write, or the name of what it is",
    "nobody|somebody|whoever": "user, caller, unused, none",
    "mend|mends|mended|mending": "fix, repair, resolve",
    "anew|taken back|takes back|put away|passed over": "again, undo, archive, skip",
    r"(?<!there )is no (?!longer|other|such|more|one|later|newer|older)[a-z]+": "is not a",
    r"goes on|(?:can|go|to|and|users|others|them) go on|go on (?:in|with|without|beside)": "continue",
    "speaks? with": "communicate with",
    "for want of|led astray|such as to": "because there is no, misled, for example to",
    "before its time|those that began first in front": "unfinished, oldest first",
    "configuration files?": "config file",
    "knows? no(?:thing)?|depends on no": "a contract in tests/test_layers.py",
    r"(?<=, )too(?=[.;:])": "also, as well",
}
FOR_USERS = {  # in strings and pages, but not in docstrings; found by readers of random samples, with what they wrote
    "of (?:its|their|your|his) own(?! [a-z`])": "separate, its own NOUN",
    "(?:is|are|was|were) asked about": "needs approval",
    "not there:": "Not supported:",
    "may (?:not )?command": "can send tasks",
    "at a (?:login|build|commit|install)": "at login, during a build, on commit",
    r"[0-9][\w,.]*(?: \w+)? at most|in a row at most": "at most NUMBER",
    "(?:is|are|was|were|be) (?:begun|started again)": "started, restarted",
    "puts? aside|put away": "set aside",
    "mails": "emails, messages",
    "(?:a character|characters) that (?:is|are) not shown": "invisible",
    "must answer with|answered neither with": "must return",
}
TESTS = Path(__file__).parent
CODE_MAP = "CODE_MAP.md"  # generated from docstrings
HEARD = {"question.toml", "finding_topics.toml"}  # words of users and of judges, which are recognized
EXAMPLE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
MAX_SHARED_NAMES, MAX_PARTICIPLES = 10, 50
IRREGULAR = {
    "told",
    "said",
    "shown",
    "asked",
    "written",
    "meant",
    "kept",
    "heard",
    "given",
    "found",
    "taken",
    "seen",
    "spoken",
    "done",
    "held",
    "known",
}
VERBS = {"embed", "proceed", "exceed", "succeed", "need", "feed", "seed"}


@cache
def sources() -> dict[str, str]:
    paths = [path for kind in ("", "*/") for path in ROOT.glob(f"*/{kind}src/**/*.py") if "project" not in path.parts]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


@cache
def documents() -> dict[str, str]:
    """Return the README and the pages for authors of plugins, without their examples."""
    paths = [ROOT / "README.md", *(ROOT / "hookspecs").rglob("*.md")]
    return {str(path.relative_to(ROOT)): EXAMPLE.sub("", path.read_text()) for path in paths}


@cache
def data_files() -> dict[str, str]:
    """Return the prompts and other texts that are data; some are examples of users' texts."""
    paths = [path for kind in ("", "*/") for path in ROOT.glob(f"*/{kind}src/**/*.toml") if path.name not in HEARD]
    return {str(path.relative_to(ROOT)): path.read_text() for path in paths}


@cache
def texts_for_users() -> tuple[tuple[str, str], ...]:
    """Return the strings of the source without docstrings, and the pages without examples, each with its place."""
    strings = ((f"{name}:{line}", text) for name, code in sources().items() for line, text in strings_of(code))
    found = {path for place in ("*", "*/*", "*/*/*", "*/src/**/*", "*/*/src/**/*") for path in ROOT.glob(f"{place}.md")}
    paths = sorted(path for path in found if TESTS not in path.parents and path.name != CODE_MAP)
    pages = ((str(path.relative_to(ROOT)), EXAMPLE.sub("", path.read_text())) for path in paths)
    texts = (*strings, *pages, *data_files().items())
    return tuple((place, " ".join(text.split())) for place, text in texts if " " in text)


def strings_of(code: str) -> Iterator[tuple[int, str]]:
    tree = ast.parse(code)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


@pytest.mark.parametrize("words", FOR_USERS)
def test_no_text_for_users_has_words_of_a_translation(words: str) -> None:
    pattern = re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)
    found = [f"{place}: {hit[0]}" for place, text in texts_for_users() for hit in pattern.finditer(text)]

    assert [] == found, f"Write instead: {FOR_USERS[words]}"


@pytest.mark.parametrize("words", SUGGESTIONS)
def test_no_source_has_words_of_a_translation(words: str) -> None:
    pattern = re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.IGNORECASE)  # also within a name, between underscores
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in {**sources(), **documents(), **data_files()}.items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]

    assert [] == found, f"Write instead: {SUGGESTIONS[words]}"


def test_few_classes_share_a_name() -> None:
    names = Counter(name for text in sources().values() for name in re.findall(r"^ *class (\w+)", text, re.MULTILINE))

    assert len([name for name, count in names.items() if count > 2]) <= MAX_SHARED_NAMES, names.most_common(12)


def test_functions_begin_with_a_verb() -> None:
    names = [name for text in sources().values() for name in re.findall(r"\bdef (\w+)", text)]

    participles = [name for name in names if is_participle(name.strip("_"))]
    assert len(participles) <= MAX_PARTICIPLES, participles


def is_participle(name: str) -> bool:
    return name in IRREGULAR or (re.fullmatch("[a-z]{3,}ed", name) is not None and name not in VERBS)
