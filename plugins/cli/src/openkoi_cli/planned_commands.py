"""Recognise lines that look like missing commands; they run as tasks only after a confirmation."""

import os
import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

APPS = (
    *(
        "slack",
        "notion",
        "telegram",
        "matrix",
        "discord",
        "email",
        "imessage",
        "gdocs",
        "gsheets",
        "office",
        "teams",
        "github",
    ),
    *("gmail", "google", "msoffice", "whatsapp", "linear", "jira"),
)
VENDORS = (
    *("anthropic", "openai", "google", "groq", "openrouter", "together", "deepseek", "xai", "qwen", "ollama"),
    *("bedrock", "copilot", "chatgpt", "claude"),
)
LISTABLE = (
    "agents",
    "apps",
    "commands",
    "integrations",
    "models",
    "plugins",
    "providers",
    "sessions",
    "skills",
    "tasks",
    "tools",
)
# Commands that are planned or that users of similar programs try, with the words that follow them. A word in capitals
# stands for any word, or for one that contains the same punctuation; "ARGS" stands for all that follow. Sentences that
# start with such a command have other words.
PLANNED: Mapping[str, Sequence[str]] = {
    "acp": ("serve", "start"),
    "agent": ("list", "create NAME"),
    "agents": ("list", "create NAME"),
    "assistant": ("start", "stop", "status"),
    "auth": ("login", "logout", "status", *(f"login {name}" for name in VENDORS)),
    "chat": ("start", "resume"),
    "connect": APPS,
    "cost": (),
    "costs": (),
    "daemon": ("start", "stop", "status", "restart", "install", "uninstall", "logs", "run"),
    "disconnect": APPS,
    "evaluator": ("list", "show NAME", "certify NAME ARGS", "calibrate ARGS"),
    "fleet": ("start", "stop", "status", "list"),
    "help": ("COMMAND",),
    "history": ("list", "show", "clear"),
    "integrations": ("list", "add NAME", "remove NAME", *APPS),
    "list": LISTABLE,
    "login": VENDORS,
    "logout": VENDORS,
    "logs": ("show", "tail"),
    "mcp": ("list", "serve", "start", "add NAME ARGS", "remove NAME", "approve NAME", "test NAME"),
    "model": ("NAME/MODEL", "list", "set NAME", "use NAME"),
    "plugin": ("list", "install NAME", "remove NAME", "uninstall NAME", "add NAME", "update"),
    "providers": ("list", "add NAME", "remove NAME"),
    "repl": (),
    "serve": ("start", "stop"),
    "server": ("start", "stop", "status", "restart"),
    "session": ("list", "show ID", "resume ID", "delete ID"),
    "settings": ("list", "show", "get KEY", "set KEY VALUE"),
    "setup": (),
    "skills": ("list", "install NAME", "remove NAME", "create NAME"),
    "soul": ("show", "review", "edit", "reset"),
    "team": ("list", "create NAME", "start", "status"),
    "tools": ("list",),
    "tui": ("start",),
    "version": (),
    "script": ("list", "approve NAME"),
    "wasm": ("list", "add PATH", "remove NAME", "approve NAME", "test PATH", "call NAME TOOL", "call NAME TOOL JSON"),
    "web": ("start", "stop", "serve", "status"),
}
REST = "ARGS"
FOLLOWING = {"new", "trust", "certify", "view", "approve", "restore", "rebuild", "search"} | {
    word for forms in PLANNED.values() for form in forms for word in form.split() if word.islower()
}
OPTIONAL = {  # commands of plugins that are not in the default bundle
    "connect": "openkoi-assistant",
    "daemon": "openkoi-assistant",
    "evaluator": "openkoi-certify",
    "mcp": "openkoi-mcp",
    "script": "openkoi-scripts",
    "wasm": "openkoi-wasm",
}
INSTEAD = {  # what other names of commands mean here
    **dict.fromkeys(("auth", "login", "logout", "setup"), "init"),
    **dict.fromkeys(("history", "session"), "sessions"),
    **dict.fromkeys(("cost", "costs"), "status"),
    "model": "models",
    "settings": "config",
}
UNSPACED_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
MIN_SENTENCE_CHARACTERS = 4  # characters that make a sentence in a script without spaces (estimate)
# Difflib ratios, measured on typos of commands: of a typo ("statsu"), and of another form ("skills" for "skill").
MIN_SIMILARITY, MIN_SAME_SIMILARITY = 0.8, 0.9


def explain_doubt(words: Sequence[str], commands: Sequence[str]) -> str:
    """Return why a line may not be meant as a task; empty if it clearly is one."""
    if any(len(word.split()) != 1 for word in words):
        return ""
    first, *rest = words
    if first.startswith("@") and os.path.isfile(first[1:]):  # noqa: PTH113  # no pathlib on the start path
        return ""
    follows = all(word.lower() in FOLLOWING for word in rest)
    if is_misspelled(first.lower(), commands, MIN_SIMILARITY if follows else MIN_SAME_SIMILARITY) and len(rest) < 2:
        return f"{first!r} is not an openkoi command.{suggest_command(first, commands, MIN_SIMILARITY)}"
    if is_planned(first.lower(), [word.lower() for word in rest]):
        hint = (
            f" Did you mean `openkoi {rest[0].lower()} --help`?"
            if first.lower() == "help" and rest and rest[0].lower() in commands
            else suggest_command(first, commands, MIN_SAME_SIMILARITY)
        )
        if distribution := OPTIONAL.get(first.lower()):
            return f'"openkoi {first.lower()}" needs {distribution}. To install it, run `pip install {distribution}`.'
        return f'"openkoi {shlex.join(words)}" is not available in this version.{hint}'
    if rest or may_be_unspaced_sentence(first):
        return ""
    return f"{first!r} is not an openkoi command.{suggest_command(first, commands, MIN_SIMILARITY)}"


def is_misspelled(word: str, commands: Sequence[str], cutoff: float) -> bool:
    """Return whether a word is a typo of a command, plugins' own included, rather than of a planned one."""
    found = get_close_matches(word, {*commands, *PLANNED}, n=1, cutoff=cutoff)
    return word not in PLANNED and found != [] and found[0] in commands


def is_planned(first: str, rest: Sequence[str]) -> bool:
    """Return whether a line is a planned command rather than a sentence that starts with its name."""
    if len(rest) <= 1 and first in PLANNED:  # "chat hello" as well: two words are rarely a sentence
        return True
    similar = get_close_matches(first, PLANNED, n=1, cutoff=MIN_SIMILARITY)
    return any(fits_form(rest, form.split()) for name in similar for form in PLANNED[name])


def fits_form(words: Sequence[str], form: Sequence[str]) -> bool:
    """Return whether words match a form, word by word, up to its variable part."""
    if form and form[-1] == REST:
        form = form[:-1]
        words = words[: len(form)]
    if len(words) != len(form):
        return False
    pairs = [*zip(words, form, strict=True)]
    return all(
        all(sign in word for sign in "./" if sign in part) if part.isupper() else word == part for word, part in pairs
    )


def suggest_command(word: str, commands: Sequence[str], cutoff: float) -> str:
    """Return a hint about a command that is similar to a word."""
    if (instead := INSTEAD.get(word.lower(), "")).partition(" ")[0] in commands:
        return f" Did you mean `openkoi {instead}`?"
    found = get_close_matches(word.lower(), [*commands, "help", "version"], n=1, cutoff=cutoff)
    command = f"--{found[0]}" if found and found[0] in ("help", "version") else "".join(found)
    return f" Did you mean `openkoi {command}`?" if command else ""


def may_be_unspaced_sentence(word: str) -> bool:
    """Return whether a word may be a sentence: long enough, in a script without spaces."""
    if word.isascii():
        return False
    from unicodedata import name

    return sum(name(sign, "").startswith(UNSPACED_SCRIPTS) for sign in word) >= MIN_SENTENCE_CHARACTERS
