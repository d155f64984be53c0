"""Split a text into sentences and clauses whose speech act is classified; code and quotes are set aside."""

import re
from dataclasses import dataclass

from openkoi_hookspecs.lazy_pattern import lazy_pattern

CODE_SIGN = "\u00a7"  # stands for what is mentioned and not asked: a quotation, a file, a number, a line of code
DOCUMENT_SIGN = CODE_SIGN + "doc"  # a file in which an answer could be written


@dataclass(frozen=True)
class Clause:
    """A clause: lower-case words between single spaces, and the comma or conjunction before them."""

    text: str
    joint: str = ""


@dataclass(frozen=True)
class Sentence:
    clauses: tuple[Clause, ...]
    asked: bool  # a question mark ends it


SPELLINGS = str.maketrans(
    {"\u2019": "'", "\uff1f": "? ", "\uff01": "! ", "\u3002": ". ", "\uff0c": ", ", "\u3001": ", ", "\uff1a": ": "}
)
DEFINITION = r"^(?:def|func|fn|function|const|var|let|class)\s+\w+\s*[(=:{][^\n;]*(?:\n(?:[ \t]+[^\n]*|[)}\]]+;?)?)*"
QUOTED = lazy_pattern(
    rf"```.*?(?:```|\Z)|{DEFINITION}|`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|「[^」\n]+」|(?<!\w)'[^'\n]+'(?!\w)"
    r"|\bhttps?://\S+[\w/]",
    re.DOTALL | re.MULTILINE,
)
SHORT = lazy_pattern(
    r"\b(?:e\.g|i\.e|vs|etc|approx)\.|(?<!\w)[:;]-?[()DPp](?!\w)|^[ \t]*(?:[-*•>]|\d+[.)])\s",
    re.IGNORECASE | re.MULTILINE,
)
ASIDE = lazy_pattern(r"(?<=\s)\(([^()\n]*)\)(?=[\s.,;:?!]|$)")
ENDS = lazy_pattern(r"(\?[?!]*|!+[?!]*(?=\s|$)|\.{2,}|…|\.(?=\s|$)|(?<=[a-z])\.(?=[A-Z])|(?<![tT][lL]);|\n|\s--\s)")
SIGNS = r",(?!\d)|:(?=\s|$)|[\u2014\u2013]|\s-+\s|(?<=\s)[&+](?=\s)"
CONJUNCTIONS = (
    r"(?<!pros )(?<!since )\b(?:and|then|but|plus)(?![\w.-])|\bso(?=\s+(?:that|i|we|you|it|they)\b)|"
    r"(?:please\s+)?\b(?:just|only)(?=\s+(?:tell|explain|show|asking|curious)\b)"
)
JOINTS = lazy_pattern(f"({SIGNS}|{CONJUNCTIONS})", re.IGNORECASE)
OR = lazy_pattern(r",\s+or\b", re.IGNORECASE)
# "between merge and rebase" is one object, "between both files and fix them" is not.
OBJECT = r"(?!\s+\w+\s+(?:it|them|this|that|these|those|the|all|any|each)\b)"
BETWEEN = lazy_pattern(rf"\b((?:between(?:\s+(?!and\b)[^\s,?!]+){{1,5}}|both \w+))\s+and\b{OBJECT}", re.IGNORECASE)
# A line of a log, of a traceback or of a program is quoted and not asked; none begins with an order.
ORDER = (
    r"(?![ \t]*(?i:add|change|create|delete|drop|fix|make|move|print|put|remove|rename|replace|set|show|update|use)\b)"
)
LOGS = (
    r"\[(?:ERROR|FATAL|WARN|INFO|DEBUG)\w*\]",
    r"(?:(?:\w+\.)+[A-Z]\w+|[\w.]*(?:Error|Exception|Warning)|error|warning|panic|fatal(?: error)?|npm ERR|ERROR|FATAL"
    rf"|WARN|INFO|E  )(?:\[\w+\]| \d+| \(\w+\))*!?:{ORDER}",
    r"(?:sh|bash|zsh|git|npm|python|ld|gcc|make): \S+: ",
    r"\d{4}-\d\d-\d\d[T ]\d\d:|[A-Z][a-z]{2} \d+ \d\d:|Traceback|FAILED \S+::|goroutine \d|at \S+ ?\(|File \"",
    r"SELECT [^\n]* FROM |\$ |import \w+$|(?:let|const|var|return) [^\s?]*[ \t]*[=({]",
    r"(?=[^\n?]*[;{}](?:\s|$))[^\n{};=<>|&$?]*(?:[{};=<>|&$][^\n{};=<>|&$?]*){3}",
)
LOGGED = lazy_pattern(
    rf"^[ \t]*{ORDER}(?:{'|'.join(LOGS)})(?![^\n]*\b(?:please|pls|fix|can you|could you)\b)"
    r"[^\n]*?(?=[.?]\s+[^\W\d]|;\s+(?:why|what|how|is|does|where)|\s--\s|\n|\Z)",
    re.MULTILINE,
)
SUFFIXES = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'d", " would"), ("'m", " am"))
NEGATED = "do|does|did|is|are|was|were|should|would|could|have|has"
PLAIN = {
    **{"can't": "can not", "cannot": "can not", "won't": "will not", "let's": "let us", "lets": "let us", "im": "i am"},
    **{"ive": "i have", "u": "you", "ther": "there", "wanna": "want to", "gonna": "going to"},
    **{"coud": "could", "cud": "could", "cld": "could", "woud": "would", "wud": "would", "shoud": "should"},
    **{"pls": "please", "plz": "please", "thx": "thanks", "ya": "you", "wich": "which", "waht": "what", "hwo": "how"},
    **{"wat": "what", "chek": "check", "teh": "the", "cant": "can not", "wont": "will not", "dunno": "do not know"},
    **{f"{verb}nt": f"{verb} not" for verb in NEGATED.split("|")},
    **{f"{word}s": f"{word} is" for word in ("what", "where", "who", "how", "that", "there")},
}
IS = lazy_pattern(r"(what|where|who|how|that|there|it|he|she|when|why|here|everything)'s")
FILE = lazy_pattern(
    r"[\w~.-]*[/_#()@][\w/().#<>*@:,-]*|[\w*-]+\.(?:\w{1,5}|parquet|service|properties)|\W*\d[\w.%]*|"
    r".*[\\^$={}<>|~%+*].*",
    re.ASCII,
)
WRITTEN = lazy_pattern(r"[\w./~-]+\.(?:md|txt|csv|tsv|json|rst|html?|pdf|ya?ml|docx?|xlsx?|adoc|tex|log|svg|png|sql)")


def split_sentences(text: str) -> list[Sentence]:
    """Split a text into sentences, and each of them at its commas and conjunctions; lines of a log are skipped."""
    text = LOGGED.sub("\n", SHORT.sub(" ", text.translate(SPELLINGS).replace(" / ", "\n")))
    text = QUOTED.sub(f" {CODE_SIGN} ", text)
    pieces = [*ENDS.split(text), ""]
    sentences = [(piece, "?" in end) for piece, end in zip(pieces[::2], pieces[1::2], strict=True)]
    return [Sentence(split_clauses(piece), asked) for piece, asked in sentences]


def split_clauses(sentence: str) -> tuple[Clause, ...]:
    pieces = JOINTS.split(BETWEEN.sub(r"\1 or", ASIDE.sub(r", \1 , ", OR.sub(" or", sentence))))
    joints = ["", *(joint.strip().lower() for joint in pieces[1::2])]
    return tuple(Clause(read_words(piece), joint) for piece, joint in zip(pieces[::2], joints, strict=True))


def read_words(piece: str) -> str:
    """Return the words in lower case, contractions written out, with `DOCUMENT` or `CODE` for files and numbers."""
    found = ("into" if word in ("->", "=>", ">>", ">", "→") else word.strip(".\"'*¿¡[]{}|>,") for word in piece.split())
    return " ".join(expand_word(word.lower()) for word in found if re.search(rf"[\w{CODE_SIGN}]", word))


def expand_word(word: str) -> str:
    if WRITTEN.fullmatch(word):
        return DOCUMENT_SIGN
    if word in PLAIN:
        return PLAIN[word]
    if FILE.fullmatch(word) and not word.startswith("--"):
        return CODE_SIGN
    for suffix, full in SUFFIXES:
        if word.endswith(suffix):
            return word.removesuffix(suffix) + full
    return f"{word[:-2]} is" if IS.fullmatch(word) else word
