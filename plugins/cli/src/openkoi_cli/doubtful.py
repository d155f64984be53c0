"""Recognise command lines that look like commands that do not exist: they run as tasks only after a question. Pure."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

APPS = (
    *("slack", "notion", "telegram", "discord", "email", "imessage", "gdocs", "gsheets", "office", "teams", "github"),
    *("gmail", "google", "msoffice", "whatsapp", "linear", "jira"),
)
VENDORS = (
    *("anthropic", "openai", "google", "groq", "openrouter", "together", "deepseek", "xai", "qwen", "ollama"),
    *("bedrock", "copilot", "chatgpt", "claude"),
)
LISTED = (
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
# Commands that are planned (rows CLI-02, CLI-06, CLI-07, ONB and the apps of the acceptance list; web, acp, tui, mcp,
# teams and the fleet of the design) or that users of similar programs try, and what follows them on a command line.
# A word in capitals stands for any one word, or for one with the same sign in it; a sentence that begins with such a
# command goes on otherwise.
PLANNED: Mapping[str, Sequence[str]] = {
    "acp": ("serve", "start"),
    "agent": ("list", "create NAME"),
    "agents": ("list", "create NAME"),
    "assistant": ("start", "stop", "status"),
    "auth": ("login", "logout", "status", *(f"login {name}" for name in VENDORS)),
    "chat": ("start", "resume"),
    "config": (
        "DOTTED.KEY",
        "init",
        "list",
        "show",
        "edit",
        "path",
        "get KEY",
        "unset KEY",
        "set KEY",
        "set KEY VALUE",
    ),
    "connect": APPS,
    "cost": (),
    "costs": (),
    "daemon": ("start", "stop", "status", "restart", "install", "uninstall", "logs", "run"),
    "disconnect": APPS,
    "fleet": ("start", "stop", "status", "list"),
    "help": ("COMMAND",),
    "history": ("list", "show", "clear"),
    "integrations": ("list", "add NAME", "remove NAME", *APPS),
    "list": LISTED,
    "login": VENDORS,
    "logout": VENDORS,
    "logs": ("show", "tail"),
    "mcp": ("list", "serve", "start", "add NAME", "remove NAME", "add NAME COMMAND"),
    "model": ("NAME/MODEL", "list", "set NAME", "use NAME"),
    "models": ("list", "pull NAME", "set NAME", "use NAME", "refresh"),
    "plugin": ("list", "install NAME", "remove NAME", "uninstall NAME", "add NAME", "update"),
    "providers": ("list", "add NAME", "remove NAME"),
    "repl": (),
    "serve": ("start", "stop"),
    "server": ("start", "stop", "status", "restart"),
    "session": ("list", "show ID", "resume ID", "delete ID"),
    "sessions": ("list", "resume ID", "delete ID"),
    "settings": ("list", "show", "get KEY", "set KEY VALUE"),
    "setup": (),
    "skills": ("list", "install NAME", "remove NAME", "create NAME"),
    "soul": ("show", "review", "edit", "reset"),
    "team": ("list", "create NAME", "start", "status"),
    "tools": ("list",),
    "tui": ("start",),
    "version": (),
    "web": ("start", "stop", "serve", "status"),
}
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
SENTENCE = 4
# How like a command a slip of the keyboard is ("statsu"), and a word that is one itself ("skills", and not "daemon").
CLOSE, SAME = 0.8, 0.9


def explain_doubt(words: Sequence[str], commands: Sequence[str]) -> str:
    """Say why a line may not be meant as a task; empty if it certainly is one."""
    if any(len(word.split()) != 1 for word in words):
        return ""
    first, *rest = words
    if is_planned(first.lower(), [word.lower() for word in rest]):
        hint = (
            f" Did you mean openkoi {rest[0].lower()} --help?"
            if first.lower() == "help" and rest and rest[0].lower() in commands
            else suggest_command(first, commands, SAME)
        )
        return f'"openkoi {shlex.join(words)}" is not available in this version.{hint}'
    if rest or may_be_unspaced_sentence(first):
        return ""
    return f"{first!r} is not an openkoi command.{suggest_command(first, commands, CLOSE)}"


def is_planned(first: str, rest: Sequence[str]) -> bool:
    """Whether a line is a planned command rather than a sentence that begins with its name."""
    if len(rest) <= 1 and first in PLANNED:  # "chat hello" too: two words hardly make a sentence
        return True
    meant = get_close_matches(first, PLANNED, n=1, cutoff=CLOSE)
    return any(fits_form(rest, form.split()) for name in meant for form in PLANNED[name])


def fits_form(words: Sequence[str], form: Sequence[str]) -> bool:
    """Whether words have this form, one for one."""
    if len(words) != len(form):
        return False
    pairs = [*zip(words, form, strict=True)]
    return all(
        all(sign in word for sign in "./" if sign in part) if part.isupper() else word == part for word, part in pairs
    )


def suggest_command(word: str, commands: Sequence[str], cutoff: float) -> str:
    """Suggest the command that nearly matches a word."""
    found = get_close_matches(word.lower(), [*commands, "help", "version"], n=1, cutoff=cutoff)
    meant = f"--{found[0]}" if found and found[0] in ("help", "version") else "".join(found)
    return f" Did you mean openkoi {meant}?" if meant else ""


def may_be_unspaced_sentence(word: str) -> bool:
    """Whether one word may be a sentence: long enough, in a script written without spaces."""
    if word.isascii():
        return False
    from unicodedata import name

    return sum(name(sign, "").startswith(UNSPACED) for sign in word) >= SENTENCE
