"""Checks of what a database is told, in SQL and its relatives. Reads statements roughly; knows no dialect."""

import re
from collections.abc import Iterator
from itertools import pairwise

from .addresses import LOCAL
from .files import valued
from .finding import Check, Command, Finding
from .patterns import only_tells, programs
from .spoken import spoken_feed

MONGO = frozenset({"mongo", "mongosh"})
REDIS = frozenset({"redis-cli", "valkey-cli", "keydb-cli"})
LONGEST = 5_000
OPTION = re.compile(r"^--?[\w-]+=")
FETCHED = re.compile(r"\b(curl|wget)\b")
FLAGS = re.IGNORECASE | re.DOTALL
# Words that say together that a database goes, to whichever tool.
DROPPING = frozenset({"drop", "wipe", "purge", "truncate", "destroy", "erase", "reset", "clear", "nuke"})
HOLDING = frozenset({"db", "database", "databases", "schema", "keyspace", "metadata"})
SAYING = frozenset({"echo", "printf", "grep", "rg", "ag", "ack", "git", "sed", "awk", "cat", "test", "[", "cp", "mv"})
QUOTED = re.compile(r"'(?:[^'\\]|\\.|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
DROPS = re.compile(
    r"\b(remove\s+(table|namespace|database)|drop\s+(if\s+exists\s+)?(table|database|schema|index|view|materialized|user|role|keyspace|collection|column"
    r"|function|trigger|sequence|tablespace|type|constraint|extension|owned|warehouse|stage|procedure|partition)"
    r"|purge\s+binary|truncate\s+(table\s+)?[\w\"`\[$]+|detach\s+delete|drop\s+owned)\b",
    re.IGNORECASE,
)
STARTS = re.compile(
    r"^\s*(drop\s+\w+|reset\s+(master|slave|replica|binary)|shutdown|kill|purge|rename\s+table|detach|flush\s+tables"
    r"|alter\s+system)\b|\bpg_(terminate|cancel)_backend\b",
    re.IGNORECASE,
)
EVERY_ROW = re.compile(
    r"(?:^|\()\s*(delete\s+from\b(?!.*\bwhere\b)|update\s+\S+\s+set\b(?!.*\bwhere\b))", re.IGNORECASE | re.DOTALL
)
ALWAYS = re.compile(r"\bwhere\s+(true|1|1\s*=\s*1|'?\w'?\s*=\s*'?\w'?)\s*$", re.IGNORECASE)
ALTERS = re.compile(
    r"\balter\s+(table|database|user|role|system)\b.*\b(drop|delete|update|rename|password|superuser)\b", FLAGS
)
RIGHTS = re.compile(r"\b(grant\s+.*\bto\b|revoke\s+.*\bfrom\b|create\s+(user|role)\b)", re.IGNORECASE | re.DOTALL)
RUNS = re.compile(
    r"\\!|^\s*\.(shell|system)\b|\b(to|from)\s+program\b|xp_cmdshell|^\s*system\s", re.IGNORECASE | re.MULTILINE
)
MONGO_DROPS = re.compile(
    r"\.(drop|dropDatabase|dropIndexes?|dropCollection|dropUser|shutdownServer)\s*\(|\.(deleteMany|remove)\s*\(\s*(\{\s*\}\s*)?\)"
    r"|(adminCommand|runCommand)\(\s*\{\s*['\"]?(shutdown|drop\w*|delete|renameCollection|replSet\w+)"
    r"|\.(deleteMany|remove|deleteOne|findOneAndDelete|updateMany)\s*\("
)


REDIS_DROPS = re.compile(
    r"(?:^|[\n'\"(]\s*)(flushall|flushdb|shutdown|del|unlink|swapdb|config\s+set|debug)\b", re.IGNORECASE
)


def statements(command: Command) -> Iterator[Finding]:
    """What a client is told, in its words and on its input."""
    if only_tells(command.words, anywhere=True):
        return
    texts = [OPTION.sub("", word.text) for word in command.words]
    told = [text for text in texts if " " in text or "(" in text]
    fed = spoken_feed(command.feed)
    if fed is None and command.feed and FETCHED.search(command.feed.of):
        yield Finding("tells a database what comes from the network", "databases")
    for text in [*told, *([fed] if fed else [])]:
        why = harm(text, command.name)
        if why:
            yield Finding(why, "databases")
            return


def copied(command: Command) -> Iterator[Finding]:
    """Copying a database to that of another machine."""
    source = command.feed.of.split() if command.feed else []
    hosts = [word.text for word in valued(command.words, ("-h", "--host", "--uri"))]
    hosts += [one for one in command.operands if "://" in one]
    if source and source[0] in programs("dumping") and any(not LOCAL.match(host) for host in hosts):
        yield Finding("sends a database to another machine", "secrets")


def harm(text: str, client: str) -> str:
    """Say what is wrong with a text of statements, or nothing."""
    if client in MONGO:
        return "deletes data" if MONGO_DROPS.search(text) else ""
    if client in REDIS:
        return "deletes data, or stops the database" if REDIS_DROPS.search(text) else ""
    if RUNS.search(text):
        return "lets the database run a program"
    return next((why for one in QUOTED.sub(" '' ", text).split(";") if (why := harm_of_one(one))), "")


def harm_of_one(statement: str) -> str:
    if len(statement) > LONGEST:
        return "tells a database more than can be judged"
    if STARTS.search(statement) or DROPS.search(statement) or ALTERS.search(statement):
        return "deletes or changes tables"
    if EVERY_ROW.search(statement) or ALWAYS.search(statement):
        return "changes or deletes every row of a table"
    return "changes rights" if RIGHTS.search(statement) else ""


def dropped(command: Command) -> Iterator[Finding]:
    """Any tool that is told to drop a database: ``dotnet ef database drop``, ``tool db:reset``, ``drop-database``."""
    if only_tells(command.words, anywhere=True):
        return
    words = [part for one in command.operands if " " not in one for part in re.split(r"[:_-]", one.lower())]
    if any({a, b} & DROPPING and {a, b} & HOLDING for a, b in pairwise(words)):
        yield Finding("deletes data", "databases")


def checks_for(name: str) -> Iterator[Check]:
    """The checks that a program may need."""
    if name in programs("databases"):
        yield statements
        yield copied
    if name not in programs("looking") and name not in SAYING:
        yield dropped
