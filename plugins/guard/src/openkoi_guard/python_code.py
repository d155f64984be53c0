"""Checks of Python that is written into a shell line. Reads the syntax tree: a text in quotes is only a text."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .databases import harm

DELETES = frozenset(
    {"shutil.rmtree", "shutil.move", "os.remove", "os.unlink", "os.rmdir", "os.removedirs", "os.truncate"}
)
COPIES = frozenset(
    {
        "shutil.copy",
        "shutil.copy2",
        "shutil.copyfile",
        "shutil.copytree",
        "os.rename",
        "os.replace",
        "os.symlink",
        "os.link",
    }
)
SENDING_METHODS = frozenset(
    {"sendmail", "send_message", "storbinary", "storlines", "upload_file", "upload_fileobj", "put_object", "open_sftp"}
)
DROPPING_METHODS = frozenset(
    {"flushall", "flushdb", "drop_all", "drop_database", "drop_collection", "delete_many", "drop_table", "delete_all"}
)
# Packages of services outside this machine, and how their methods that change something begin.
SERVICES = frozenset(
    {"boto3", "botocore", "google", "azure", "kubernetes", "stripe", "github", "gitlab", "slack_sdk", "twilio"}
)
CHANGING = (
    "delete",
    "terminate",
    "stop_",
    "remove",
    "purge",
    "destroy",
    "revoke",
    "put_",
    "upload",
    "send",
    "publish",
    "update_",
)
TELLING = frozenset({"execute", "executescript", "executemany", "exec_driver_sql", "text", "raw", "read_sql", "sql"})
DELETING_TREES = frozenset({"rmtree", "remove", "unlink", "rmdir"})
METHODS = frozenset({"rmtree", "unlink", "rmdir"})
RUNS = frozenset({"os.system", "os.popen", "commands.getoutput", "subprocess.getoutput", "subprocess.getstatusoutput"})
RUN_PREFIXES = ("subprocess.", "os.exec", "os.spawn", "os.posix_spawn", "pty.spawn", "asyncio.create_subprocess")
EVALUATES = frozenset({"eval", "exec", "builtins.eval", "builtins.exec"})
HIDES = frozenset({"__import__", "importlib.import_module", "ctypes.CDLL", "pickle.loads", "marshal.loads"})
ENDS = frozenset({"os.kill", "os.killpg", "os.dup2"})
SENDS = ("smtplib.", "ftplib.", "requests.", "httpx.", "aiohttp.", "urllib3.", "urllib.request.")
SENDING = frozenset({"post", "put", "patch", "delete"})
READS = frozenset({"open", "io.open", "os.getenv", "os.environ.get", "os.popen"})
READING = frozenset({"read_text", "read_bytes", "read", "check_output"})
HARMLESS_IMPORTS = frozenset({"sys", "json", "time", "math", "datetime", "re", "platform", "site", "sysconfig"})


@dataclass(frozen=True, slots=True)
class Found:
    """What a piece of code does: ``why`` it should be seen, a shell ``line`` it runs, or a ``path`` it writes to.

    ``deletes``: the paths, where it does nothing but delete these.
    """

    why: str = ""
    line: str = ""
    path: str = ""
    deletes: tuple[str, ...] = ()


def judge_python(code: str) -> Iterator[Found]:
    """Find what a program in Python does to the world."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ([Found("runs code that could not be read")] if suspicious(code) else [])
        return
    names, values = imported(tree), looped(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (replace(one, deletes=one.deletes and deleted(node, values)) for one in judge_call(node, names))
            if any(dotted(one, names) in DELETES | RUNS for one in node.args):
                yield Found("hands on what deletes or runs")


def looped(tree: ast.AST) -> dict[str, tuple[str, ...]]:
    """The texts that loops over written-out texts give to their variables."""
    loops = (one for one in ast.walk(tree) if isinstance(one, ast.For | ast.comprehension))
    pairs = ((one.target.id, texts_in(one.iter)) for one in loops if isinstance(one.target, ast.Name))
    return {name: texts for name, texts in pairs if texts}


def texts_in(node: ast.expr) -> tuple[str, ...]:
    """The texts that are written out in a list of nothing else, or the one text."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    texts = [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(texts) if len(texts) == len(items) else ()


def deleted(call: ast.Call, values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The paths that a call deletes, if they are written out; moving asks whatever they are."""
    if not call.args or (isinstance(call.func, ast.Attribute) and call.func.attr not in DELETING_TREES):
        return ()
    first = call.args[0]
    return values.get(first.id, ()) if isinstance(first, ast.Name) else texts_in(first)


def suspicious(code: str) -> bool:
    """Whether code that is not today's Python speaks of deleting or running."""
    return any(sign in code for sign in ("rmtree", "remove", "unlink", "system", "popen", "subprocess", "exec", "eval"))


def imported(tree: ast.AST) -> dict[str, str]:
    """What the names in a program stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(one.asname or one.name): one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(one.asname or one.name): f"{node.module}.{one.name}" for one in node.names}
    return names


def dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """The whole name of what is called, with imports resolved."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value, names)}.{node.attr}"
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Call) and dotted(node.func, names) == "__import__":
        return str(constant(node.args))
    return "?"


def constant(arguments: Sequence[ast.expr]) -> str | None:
    """The first argument, when it is written out: a text, or a list of texts."""
    first = arguments[0] if arguments else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    if isinstance(first, ast.List | ast.Tuple):
        texts = [constant([item]) for item in first.elts]
        return None if None in texts else " ".join(quoted(str(text)) for text in texts)
    return None


def quoted(text: str) -> str:
    import shlex

    return shlex.quote(text)


def judge_call(call: ast.Call, names: Mapping[str, str]) -> Iterator[Found]:
    name = dotted(call.func, names)
    last = name.rpartition(".")[2]
    if name in DELETES or (isinstance(call.func, ast.Attribute) and last in METHODS):
        yield Found("deletes or moves files", deletes=(name,))
    elif name in RUNS or name.startswith(RUN_PREFIXES):
        yield ran(constant(call.args))
    elif name in EVALUATES:
        yield from evaluated(call)
    elif name in HIDES and constant(call.args) not in HARMLESS_IMPORTS | {"os", "shutil", "subprocess"}:
        yield Found("loads code that only running it would show")
    elif name == "getattr" and dotted(call.args[0], names) in {"os", "shutil", "subprocess", "builtins"}:
        yield Found("hides what it calls")
    elif last in DROPPING_METHODS or (last == "delete" and "objects" in names_under(call.func)):
        yield Found("deletes data")
    elif last in TELLING and (text := constant(call.args)) and (why := harm(text, "")):
        yield Found(why)
    elif last.startswith(CHANGING) and any(one.partition(".")[0] in SERVICES for one in names.values()):
        yield Found("changes what others use, on a service outside this machine")
    elif last in SENDING_METHODS:
        yield Found("sends data to another machine")
    elif name in ENDS:
        yield Found("ends processes, or hands on their input")
    elif name.startswith(SENDS) and (last in SENDING or carries_data(call, names)):
        yield Found("sends data to another machine")
    else:
        yield from written(call, name, last)


def names_under(node: ast.expr) -> set[str]:
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def carries_data(call: ast.Call, names: Mapping[str, str]) -> bool:
    """Whether a request has a body, or something in it is read from a file, a program or the environment."""
    if any(keyword.arg in {"data", "json", "files", "content"} for keyword in call.keywords):
        return True
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(reads(node, names) for one in given for node in ast.walk(one))


def reads(node: ast.AST, names: Mapping[str, str]) -> bool:
    if isinstance(node, ast.Subscript):
        return dotted(node.value, names) == "os.environ"
    if not isinstance(node, ast.Call):
        return False
    name = dotted(node.func, names)
    return name in READS or name.rpartition(".")[2] in READING


def ran(line: str | None) -> Found:
    return Found(line=line) if line is not None else Found("runs a command that is computed")


def evaluated(call: ast.Call) -> Iterator[Found]:
    text = constant(call.args)
    if text is None:
        yield Found("runs code that is computed")
    else:
        yield from judge_python(text)


def written(call: ast.Call, name: str, last: str) -> Iterator[Found]:
    """Files that are opened to be written."""
    modes = [one.value for one in (*call.args[1:2], *(k.value for k in call.keywords)) if isinstance(one, ast.Constant)]
    if name in {"open", "io.open"} and any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes):
        yield Found(path=constant(call.args) or "")
    elif last == "close" and isinstance(call.func, ast.Attribute) and opens_anew(call.func.value):
        yield Found("empties a file")
    elif name in COPIES:
        yield Found(path=constant(call.args[1:]) or "")
    elif last in {"write_text", "write_bytes"} and isinstance(call.func, ast.Attribute):
        if call.args and isinstance(call.args[0], ast.Constant) and not call.args[0].value:
            yield Found("empties a file")
        inner = call.func.value
        yield Found(path=(constant(inner.args) or "") if isinstance(inner, ast.Call) else "")


def opens_anew(node: ast.expr) -> bool:
    """Whether a file is opened so that nothing of it is kept."""
    if not isinstance(node, ast.Call) or dotted(node.func, {}) != "open" or len(node.args) < 2:
        return False
    mode = node.args[1]
    return isinstance(mode, ast.Constant) and str(mode.value).startswith("w")
