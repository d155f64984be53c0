"""Check Python code in a shell line by its syntax tree, in which a string is only a string."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from openkoi_hookspecs.lazy_dataclass import dataclass

from .databases import describe_harm

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
EXECUTING_SQL = frozenset(
    {"execute", "executescript", "executemany", "exec_driver_sql", "text", "raw", "read_sql", "sql"}
)
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
class CodeFinding:
    """What code does: the reason ``why`` it asks, a shell ``line`` that it runs, or a ``path`` that it writes to.

    ``deletes``: the paths, when it only deletes these.
    """

    why: str = ""
    line: str = ""
    path: str = ""
    deletes: tuple[str, ...] = ()


def analyze_python(code: str) -> Iterator[CodeFinding]:
    """Find what a Python program runs, deletes and sends."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from ([CodeFinding("runs code that cannot be parsed")] if is_suspicious(code) else [])
        return
    names, values = resolve_imports(tree), list_loop_texts(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (
                replace(one, deletes=one.deletes and list_deleted(node, values)) for one in analyze_call(node, names)
            )
            if any(build_dotted_name(one, names) in DELETES | RUNS for one in node.args):
                yield CodeFinding("passes other code a function that deletes files or runs commands")


def list_loop_texts(tree: ast.AST) -> dict[str, tuple[str, ...]]:
    """Return the strings that loops over literals give to their variables."""
    loops = (one for one in ast.walk(tree) if isinstance(one, ast.For | ast.comprehension))
    pairs = ((one.target.id, list_texts(one.iter)) for one in loops if isinstance(one.target, ast.Name))
    return {name: texts for name, texts in pairs if texts}


def list_texts(node: ast.expr) -> tuple[str, ...]:
    """Return the strings of a literal list of strings, or of one string."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else [node]
    texts = [one.value for one in items if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return tuple(texts) if len(texts) == len(items) else ()


def list_deleted(call: ast.Call, values: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the literal paths that a call deletes; none for moves, which always ask."""
    if not call.args or (isinstance(call.func, ast.Attribute) and call.func.attr not in DELETING_TREES):
        return ()
    first = call.args[0]
    return values.get(first.id, ()) if isinstance(first, ast.Name) else list_texts(first)


def is_suspicious(code: str) -> bool:
    """Return whether code that is not valid Python mentions deleting or running."""
    return any(sign in code for sign in ("rmtree", "remove", "unlink", "system", "popen", "subprocess", "exec", "eval"))


def resolve_imports(tree: ast.AST) -> dict[str, str]:
    """Return what each imported name refers to."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(one.asname or one.name): one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(one.asname or one.name): f"{node.module}.{one.name}" for one in node.names}
    return names


def build_dotted_name(node: ast.expr, names: Mapping[str, str]) -> str:
    """Return the whole name of a call, with imports resolved."""
    if isinstance(node, ast.Attribute):
        return f"{build_dotted_name(node.value, names)}.{node.attr}"
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Call) and build_dotted_name(node.func, names) == "__import__":
        return str(read_constant(node.args))
    return "?"


def read_constant(arguments: Sequence[ast.expr]) -> str | None:
    """Return the first argument if it is a literal string or list of strings."""
    first = arguments[0] if arguments else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return first.value
    if isinstance(first, ast.List | ast.Tuple):
        texts = [read_constant([item]) for item in first.elts]
        return None if None in texts else " ".join(quote_word(str(text)) for text in texts)
    return None


def quote_word(text: str) -> str:
    import shlex

    return shlex.quote(text)


def analyze_call(call: ast.Call, names: Mapping[str, str]) -> Iterator[CodeFinding]:
    name = build_dotted_name(call.func, names)
    last = name.rpartition(".")[2]
    if name in DELETES or (isinstance(call.func, ast.Attribute) and last in METHODS):
        yield CodeFinding("deletes or moves files", deletes=(name,))
    elif name in RUNS or name.startswith(RUN_PREFIXES):
        yield build_run_finding(read_constant(call.args))
    elif name in EVALUATES:
        yield from analyze_evaluated(call)
    elif name in HIDES and read_constant(call.args) not in HARMLESS_IMPORTS | {"os", "shutil", "subprocess"}:
        yield CodeFinding("loads code that cannot be checked")
    elif name == "getattr" and build_dotted_name(call.args[0], names) in {"os", "shutil", "subprocess", "builtins"}:
        yield CodeFinding("hides what it calls")
    elif last in DROPPING_METHODS or (last == "delete" and "objects" in list_attributes(call.func)):
        yield CodeFinding("deletes data")
    elif last in EXECUTING_SQL and (text := read_constant(call.args)) and (why := describe_harm(text, "")):
        yield CodeFinding(why)
    elif last.startswith(CHANGING) and any(one.partition(".")[0] in SERVICES for one in names.values()):
        yield CodeFinding("changes a shared resource of a remote service")
    elif last in SENDING_METHODS:
        yield CodeFinding("sends data to another machine")
    elif name in ENDS:
        yield CodeFinding("kills processes or redirects their input")
    elif name.startswith(SENDS) and (last in SENDING or carries_data(call, names)):
        yield CodeFinding("sends data to another machine")
    else:
        yield from analyze_writes(call, name, last)


def list_attributes(node: ast.expr) -> set[str]:
    return {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}


def carries_data(call: ast.Call, names: Mapping[str, str]) -> bool:
    """Return whether a request has a body, or contains data of a file, a program or the environment."""
    if any(keyword.arg in {"data", "json", "files", "content"} for keyword in call.keywords):
        return True
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(reads(node, names) for one in arguments for node in ast.walk(one))


def reads(node: ast.AST, names: Mapping[str, str]) -> bool:
    if isinstance(node, ast.Subscript):
        return build_dotted_name(node.value, names) == "os.environ"
    if not isinstance(node, ast.Call):
        return False
    name = build_dotted_name(node.func, names)
    return name in READS or name.rpartition(".")[2] in READING


def build_run_finding(line: str | None) -> CodeFinding:
    return (
        CodeFinding(line=line)
        if line is not None
        else CodeFinding("runs a command that is only known at run time, so it cannot be checked")
    )


def analyze_evaluated(call: ast.Call) -> Iterator[CodeFinding]:
    text = read_constant(call.args)
    if text is None:
        yield CodeFinding("runs generated code")
    else:
        yield from analyze_python(text)


def analyze_writes(call: ast.Call, name: str, last: str) -> Iterator[CodeFinding]:
    """Find files that are opened for writing."""
    modes = [one.value for one in (*call.args[1:2], *(k.value for k in call.keywords)) if isinstance(one, ast.Constant)]
    if name in {"open", "io.open"} and any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes):
        yield CodeFinding(path=read_constant(call.args) or "")
    elif last == "close" and isinstance(call.func, ast.Attribute) and truncates_file(call.func.value):
        yield CodeFinding("empties a file")
    elif name in COPIES:
        yield CodeFinding(path=read_constant(call.args[1:]) or "")
    elif last in {"write_text", "write_bytes"} and isinstance(call.func, ast.Attribute):
        if call.args and isinstance(call.args[0], ast.Constant) and not call.args[0].value:
            yield CodeFinding("empties a file")
        inner = call.func.value
        yield CodeFinding(path=(read_constant(inner.args) or "") if isinstance(inner, ast.Call) else "")


def truncates_file(node: ast.expr) -> bool:
    """Return whether a file is opened so that its contents are lost."""
    if not isinstance(node, ast.Call) or build_dotted_name(node.func, {}) != "open" or len(node.args) < 2:
        return False
    mode = node.args[1]
    return isinstance(mode, ast.Constant) and str(mode.value).startswith("w")
