"""What a task is about, told from its words alone. Knows words; knows no model.

The first category whose words occur most wins; what begins like a question and asks for no change only reads.
"""

import re

WORDS: dict[str, str] = {
    "bugfix": r"fix(es|ed)?|bugs?|crash(es|ed)?|broken|fail(s|ing|ed)?|errors?|regression|exception|traceback|wrong",
    "test": r"tests?|testing|coverage|pytest|unittest|specs?|assertions?",
    "refactor": r"refactor(ing)?|rename|clean ?up|simplify|extract|restructure|deduplicate|modernise|modernize",
    "migration": r"migrat(e|es|ion|ions)|alembic|schema change|backfill",
    "database": r"sql|quer(y|ies)|tables?|index(es)?|database|postgres|sqlite|duckdb",
    "api": r"api|endpoints?|rest|graphql|openapi|webhooks?|routes?",
    "docs": r"docs?|documentation|readme|docstrings?|changelog|guide",
    "summary": r"summar(y|ise|ize|ies)|sum up|digest|tl;?dr|recap|condense",
    "writing": r"write (a|an|the|me)|letter|e-?mail|essay|blog|post|announcement|story|poem|translate|proofread|reword",
    "code": r"code|function|class|method|module|script|implement|add|build|create|handler|parser|cli|refactor"
    r"|\w+\.(py|js|ts|rs|go|c|cpp|h|java|rb|sh|toml|yaml|yml|json)",
}
PATTERNS = {name: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE) for name, words in WORDS.items()}
ASKS = re.compile(
    r"(?i)^\s*(?:what|why|how|where|when|which|who|whose|explain|describe|tell me|show me|list|find|count|compare|read"
    r"|look at|summari[sz]e)\b"
)
VERBS = (
    r"(?:fix|add|change|edit|write|create|make|implement|remove|delete|rename|refactor|update|replace|move|install|run"
    r"|build|generate|convert|migrate|commit|deploy|send|post|set up|turn|apply|mend|repair|format|test|merge|improve"
    r"|optimi[sz]e|extract|revert|undo|simplify|clean up|speed up|save|append|insert|correct|adjust|split|upgrade"
    r"|document|translate|put)(?![\w-])"
)
JOINTS = r"(?:and|then|also|please|now|just)\s+"
CHANGES = re.compile(rf"(?i)(?<![\w-]){VERBS}")
WANTS = re.compile(rf"(?i)(?:^\s*|\n[^\S\n]*|[.!?:;,]\s+|\b{JOINTS}){VERBS}")
BEGINS = re.compile(r"(?i)^\s*(?:list|find|count|compare|read|look at|summari[sz]e)\b")
OTHERS = (
    r"(?:store|export|drop|enable|disable|introduce|reduce|strip|hide|rewrite|reword|get rid of|wrap|register|speed)"
)
OBJECT = r"\s+(?:it|its|them|their|this|that|these|those|the|an?|all|each|every)\b"
DOING = r"(?:fixing|mending|repairing|correcting|removing|deleting|replacing|renaming|rewriting|updating)"
GOES_ON = re.compile(
    rf"(?i)(?:[.!?:;,]\s+|\b{JOINTS})(?:\w+ly\s+)?(?:{VERBS}|{OTHERS}{OBJECT}|use (?:it|them)\b)|,\s{DOING}{OBJECT}"
)
PLEASE = re.compile(r"(?i)^\s*please,?\s+")
POLITE = re.compile(r"(?i)^\s*(?:can|could|would|will) you (?:please )?")


def infer_category(text: str) -> str:
    """A task's category, or nothing where its words tell nothing."""
    counts = {name: len(pattern.findall(text)) for name, pattern in PATTERNS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else ""


def only_asks(text: str) -> bool:
    """Whether a task is a question that changes nothing: "how do I fix" only asks, "how ... and fix it" does not.

    What begins with reading and goes on with a change is none; "read the list" by itself is taken for a question.
    """
    text = PLEASE.sub("", text)
    request = POLITE.sub("", text)
    if request != text:
        return bool(ASKS.match(request)) and not CHANGES.search(request)
    if BEGINS.match(text) and GOES_ON.search(text):
        return False
    asks = ASKS.match(text) or text.rstrip().endswith("?")
    return bool(asks) and not WANTS.search(text)
