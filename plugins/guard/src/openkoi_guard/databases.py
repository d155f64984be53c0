"""Check database statements, such as DROP TABLE, in SQL of any dialect and in similar languages."""

import re
from collections.abc import Iterator
from itertools import pairwise

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .addresses import LOCAL
from .command_rules import load_programs, only_shows_help
from .files import list_option_values
from .issue import Check, Danger, Invocation
from .limits import MAX_STATEMENT_LENGTH
from .static_output import predict_stdin

MONGO = frozenset({"mongo", "mongosh"})
REDIS = frozenset({"redis-cli", "valkey-cli", "keydb-cli"})
OPTION = lazy_pattern(r"^--?[\w-]+=")
FETCHED = lazy_pattern(r"\b(curl|wget)\b")
FLAGS = re.IGNORECASE | re.DOTALL
# Two words, one of each, that together delete a database with any tool.
DROPPING = frozenset({"drop", "wipe", "purge", "truncate", "destroy", "erase", "reset", "clear", "nuke"})
HOLDING = frozenset({"db", "database", "databases", "schema", "keyspace", "metadata"})
PRINTING = frozenset({"echo", "printf", "grep", "rg", "ag", "ack", "git", "sed", "awk", "cat", "test", "[", "cp", "mv"})
QUOTED = lazy_pattern(r"'(?:[^'\\]|\\.|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
DROPS = lazy_pattern(
    r"\b(remove\s+(table|namespace|database)|drop\s+(if\s+exists\s+)?(table|database|schema|index|view|materialized|user|role|keyspace|collection|column"
    r"|function|trigger|sequence|tablespace|type|constraint|extension|owned|warehouse|stage|procedure|partition)"
    r"|purge\s+binary|truncate\s+(table\s+)?[\w\"`\[$]+|detach\s+delete|drop\s+owned)\b",
    re.IGNORECASE,
)
STARTS = lazy_pattern(
    r"^\s*(drop\s+\w+|reset\s+(master|slave|replica|binary)|shutdown|kill|purge|rename\s+table|detach|flush\s+tables"
    r"|alter\s+system)\b|\bpg_(terminate|cancel)_backend\b",
    re.IGNORECASE,
)
EVERY_ROW = lazy_pattern(
    r"(?:^|\()\s*(delete\s+from\b(?!.*\bwhere\b)|update\s+\S+\s+set\b(?!.*\bwhere\b))", re.IGNORECASE | re.DOTALL
)
ALWAYS = lazy_pattern(r"\bwhere\s+(true|1|1\s*=\s*1|'?\w'?\s*=\s*'?\w'?)\s*$", re.IGNORECASE)
ALTERS = lazy_pattern(
    r"\balter\s+(table|database|user|role|system)\b.*\b(drop|delete|update|rename|password|superuser)\b", FLAGS
)
RIGHTS = lazy_pattern(r"\b(grant\s+.*\bto\b|revoke\s+.*\bfrom\b|create\s+(user|role)\b)", re.IGNORECASE | re.DOTALL)
RUNS = lazy_pattern(
    r"\\!|^\s*\.(shell|system)\b|\b(to|from)\s+program\b|xp_cmdshell|^\s*system\s", re.IGNORECASE | re.MULTILINE
)
MONGO_DROPS = lazy_pattern(
    r"\.(drop|dropDatabase|dropIndexes?|dropCollection|dropUser|shutdownServer)\s*\(|\.(deleteMany|remove)\s*\(\s*(\{\s*\}\s*)?\)"
    r"|(adminCommand|runCommand)\(\s*\{\s*['\"]?(shutdown|drop\w*|delete|renameCollection|replSet\w+)"
    r"|\.(deleteMany|remove|deleteOne|findOneAndDelete|updateMany)\s*\("
)


REDIS_DROPS = lazy_pattern(
    r"(?:^|[\n'\"(]\s*)(flushall|flushdb|shutdown|del|unlink|swapdb|config\s+set|debug)\b", re.IGNORECASE
)


def check_statements(command: Invocation) -> Iterator[Danger]:
    """Find harmful statements in the words and the input of a client."""
    if only_shows_help(command.words, anywhere=True):
        return
    texts = [OPTION.sub("", word.text) for word in command.words]
    arguments = [text for text in texts if " " in text or "(" in text]
    fed = predict_stdin(command.stdin)
    if fed is None and command.stdin and FETCHED.search(command.stdin.producer):
        yield Danger("runs downloaded statements in a database", "databases")
    for text in [*arguments, *([fed] if fed else [])]:
        why = describe_harm(text, command.name)
        if why:
            yield Danger(why, "databases")
            return


def check_remote_copy(command: Invocation) -> Iterator[Danger]:
    """Find a dump that is loaded into a database on another machine."""
    source = command.stdin.producer.split() if command.stdin else []
    hosts = [word.text for word in list_option_values(command.words, ("-h", "--host", "--uri"))]
    hosts += [one for one in command.operands if "://" in one]
    if source and source[0] in load_programs("dumping") and any(not LOCAL.match(host) for host in hosts):
        yield Danger("sends a database to another machine", "secrets")


def describe_harm(text: str, client: str) -> str:
    """Return the danger of statements; empty if harmless."""
    if client in MONGO:
        return "deletes data" if MONGO_DROPS.search(text) else ""
    if client in REDIS:
        return "deletes data or stops the database" if REDIS_DROPS.search(text) else ""
    if RUNS.search(text):
        return "lets the database run a program"
    return next((why for one in QUOTED.sub(" '' ", text).split(";") if (why := describe_statement_harm(one))), "")


def describe_statement_harm(statement: str) -> str:
    """Return the danger of one statement; empty if harmless."""
    if len(statement) > MAX_STATEMENT_LENGTH:
        return "runs a statement that is too long to check"
    if STARTS.search(statement) or DROPS.search(statement) or ALTERS.search(statement):
        return "deletes or changes tables"
    if EVERY_ROW.search(statement) or ALWAYS.search(statement):
        return "changes or deletes every row of a table"
    return "changes permissions" if RIGHTS.search(statement) else ""


def check_dropped_database(command: Invocation) -> Iterator[Danger]:
    """Find any tool that drops a database: ``dotnet ef database drop``, ``tool db:reset``, ``drop-database``."""
    if only_shows_help(command.words, anywhere=True):
        return
    words = [part for one in command.operands if " " not in one for part in re.split(r"[:_-]", one.lower())]
    if any({a, b} & DROPPING and {a, b} & HOLDING for a, b in pairwise(words)):
        yield Danger("deletes data", "databases")


def select_checks(name: str) -> Iterator[Check]:
    """Yield the checks that may apply to a program."""
    if name in load_programs("databases"):
        yield check_statements
        yield check_remote_copy
    if name not in load_programs("looking") and name not in PRINTING:
        yield check_dropped_database
