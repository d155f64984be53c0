"""Run one Starlark script in this process, which has no access to anything: a request and an answer are lines of JSON.

Run by its path, without site packages: ``interpreter.py PARENT FOLDER_OF_STARLARK MEGABYTES``. Imports no module of
OpenKoi.
"""

import ast
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlark import Dialect, FrozenModule, Globals

PR_SET_PDEATHSIG = 1  # of prctl(2)
DESCRIBE_SECONDS = 1.0  # as for a call
MAX_OPEN_FILES = 16  # of the child, which opens none itself
MAX_ANSWER = 1_000_000  # characters of JSON
MAX_CALLS = 100  # within one another
OWN = "openkoi"  # the file name of what we add to a script
PRELUDE = """
def openkoi_facts(value):
    kind = type(value)
    if kind == "dict":
        if "=mapping" in value:
            return value["=mapping"]
        return struct(**{name: openkoi_facts(one) for name, one in value.items()})
    return [openkoi_facts(one) for one in value] if kind == "list" else value

def section(name, text, layer = "task", untrusted = False):
    return {"name": name, "text": text, "layer": layer, "untrusted": untrusted}

def learning(id, text, kind = "heuristic", keys = []):
    return {"id": id, "kind": kind, "text": text, "keys": keys}

def finding(title, severity = "important", detail = "", fix = "", rule = "", where = ""):
    return {"title": title, "severity": severity, "detail": detail, "fix": fix, "rule": rule, "where": where}

def allow(reason = ""):
    return {"permission": "allow", "reason": reason}

def ask(reason):
    return {"permission": "ask", "reason": reason}

def deny(reason):
    return {"permission": "deny", "reason": reason}
"""
ENTRY = """
def openkoi_call_{name}(text):
    facts = openkoi_facts(json.decode(text))
    return json.encode({name}({arguments}))
"""
ERROR = re.compile(r"error: (?P<what>.*?)\n *--> (?P<place>[^\n]*:\d+:\d+)\n(?P<shown>.*)", re.DOTALL)
SHOWN_LINE = re.compile(r"^ *\d* \|(.*)$")
FRAME = re.compile(r"^ *\* (?P<place>\S+:\d+), in", re.MULTILINE)


class ScriptError(Exception):
    """A script is invalid, or failed; the message names the place."""


def main(parent: str, folder: str, megabytes: str) -> None:
    """Answer requests until there are no more."""
    channel = Channel()
    end_with(int(parent))
    sys.path.append(folder)
    limits = limit_resources(int(megabytes))
    script: Script | None = None
    for request in iter(channel.read, None):
        try:
            if request["do"] == "describe":
                limits(DESCRIBE_SECONDS)
                answer: object = describe(request["file"], request["text"])
            elif request["do"] == "load":
                script, answer = Script(request, channel, limits), None
            else:
                assert script is not None
                answer = script.call(request["name"], request["facts"], request["seconds"])
            channel.write({"answer": answer})
        except Exception as error:  # of any script
            own = isinstance(error, ScriptError)
            channel.write({"error": str(error) if own else f"{type(error).__name__}: {error}"})


class Channel:
    """The two pipes to OpenKoi; output of libraries is discarded."""

    def __init__(self) -> None:
        self.requests = os.fdopen(os.dup(0), "rb")
        self.answers = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)

    def read(self) -> Any:
        """Return the next request; None if OpenKoi has closed the pipe."""
        line = self.requests.readline()
        return json.loads(line) if line else None

    def write(self, message: object) -> None:
        """Send a message."""
        self.answers.write(json.dumps(message).encode() + b"\n")
        self.answers.flush()


class Script:
    """A script that was run once, so that its functions can be called."""

    def __init__(self, request: dict[str, Any], channel: Channel, limits: Callable[[float], None]) -> None:
        self.file, self.channel, self.limits, self.waited = request["file"], channel, limits, 0.0
        described = describe(self.file, request["text"])
        entries = "".join(ENTRY.format(name=one["name"], arguments=arguments_of(one)) for one in described)
        self.module = self.load(request["text"], entries, request)

    def load(self, text: str, entries: str, request: dict[str, Any]) -> "FrozenModule":
        """Run the script's own statements, with the functions that it may call."""
        import starlark

        module = starlark.Module()
        for name in request["functions"]:
            module.add_callable(name, self.host_function(name))
        known = make_globals()
        dialect = make_dialect()
        options = self.options(request["seconds"])
        for file, code in ((OWN, PRELUDE), (self.file, text), (OWN, entries)):
            with show_place():
                starlark.eval_with(options, module, starlark.parse(file, code, dialect), known)
        return module.freeze()

    def call(self, name: str, facts: str, seconds: float) -> object:
        """Return a function's result."""
        with show_place():
            text = str(self.module.call_with(self.options(seconds), f"openkoi_call_{name}", facts).value)
        if len(text) > MAX_ANSWER:
            raise ScriptError(f"{self.file}: {name} returned more than {MAX_ANSWER:,} characters")
        return json.loads(text)

    def options(self, seconds: float) -> Any:
        """Return options that cancel a call after this many seconds, not counting the time of host functions."""
        import starlark

        self.limits(seconds)
        self.waited = 0.0
        started = perf_counter()
        return starlark.EvalOptions(
            check_cancelled=lambda: perf_counter() - started - self.waited > seconds, max_callstack_size=MAX_CALLS
        )

    def host_function(self, name: str) -> Callable[..., object]:
        """Return a function that OpenKoi runs for the script, if it is granted."""

        def call(*arguments: object) -> object:
            started = perf_counter()
            self.channel.write({"host": name, "arguments": arguments})
            reply = self.channel.read() or {"error": "OpenKoi has ended."}
            self.waited += perf_counter() - started
            if "error" in reply:
                raise ValueError(reply["error"])
            return reply["answer"]

        return call


def make_dialect() -> "Dialect":
    """Return the dialect: all of Starlark except loading other files."""
    from starlark import Dialect

    dialect = Dialect.extended()
    dialect.enable_load = False
    return dialect


def make_globals() -> "Globals":
    """Return the globals that every script may use in addition to the language's own."""
    from starlark import Globals, LibraryExtension

    names = (LibraryExtension.Json, LibraryExtension.StructType, LibraryExtension.Map, LibraryExtension.Filter)
    return Globals.extended_by([*names, LibraryExtension.Partial])


def describe(file: str, text: str) -> list[dict[str, Any]]:
    """Return the functions of a script with their parameters; Starlark is written as Python is."""
    import starlark

    if file.endswith(".star"):
        with show_place():
            starlark.parse(file, text, make_dialect())
    try:
        module = ast.parse(text, file)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f"{file}:{error.lineno}" if isinstance(error, SyntaxError) else file
        raise ScriptError(f"{place}: cannot be read: {error or 'it is nested too deeply'}") from None
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [describe_function(one) for one in module.body if isinstance(one, functions)]


def describe_function(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Any]:
    """Return a function's name, place, parameters, first line of documentation, and what marks it."""
    own = function.args
    plain = [*own.posonlyargs, *own.args]
    optional = [*plain[len(plain) - len(own.defaults) :]] if own.defaults else []
    optional += [one for one, default in zip(own.kwonlyargs, own.kw_defaults, strict=True) if default is not None]
    return {
        "name": function.name,
        "line": function.lineno,
        "column": function.col_offset + 1,
        "parameters": [[one.arg, one.lineno, one.col_offset + 1] for one in [*plain, *own.kwonlyargs]],
        "optional": [one.arg for one in optional],
        "takes_all": own.kwarg is not None,
        "marks": [ast.unparse(one).partition("(")[0].rpartition(".")[2] for one in function.decorator_list],
        "summary": (ast.get_docstring(function) or "").partition("\n")[0],
    }


def arguments_of(function: dict[str, Any]) -> str:
    """Return the arguments of a call of a function with its facts."""
    names = [name for name, *_ in function["parameters"] if name not in function["optional"]]
    named = ", ".join(f"{name} = facts.{name}" for name in names)
    everything = "**{name: getattr(facts, name) for name in dir(facts)}"
    return everything if function["takes_all"] else named


@contextmanager
def show_place() -> Iterator[None]:
    """Raise an error of Starlark as a ScriptError, with the file, the line and a caret below the place."""
    from starlark import StarlarkError

    try:
        yield
    except StarlarkError as error:
        raise ScriptError(format_error(str(error))) from None


def format_error(text: str) -> str:
    """Return an error of Starlark as ``file:line:column: what``, the line and a caret."""
    found = ERROR.search(text)
    if not found:
        return text.strip().removeprefix("error: ")
    what = (
        found["what"]
        .removeprefix("Parse error: ")
        .removeprefix("ValueError: ")
        .replace("Evaluation cancelled", "took too long")
    )
    if found["place"].startswith(f"{OWN}:"):
        own = [one["place"] for one in FRAME.finditer(text) if not one["place"].startswith(f"{OWN}:")]
        return f"{own[-1] if own else 'its answer'}: {what}"
    shown = [one[1].rstrip() for line in found["shown"].splitlines() if (one := SHOWN_LINE.match(line))]
    return "\n".join([f"{found['place']}: {what}", *(f"   {line}" for line in shown if line.strip())])


def end_with(parent: int) -> None:
    """End this process when OpenKoi ends, for whatever reason."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit("OpenKoi has ended.")


def limit_resources(megabytes: int) -> Callable[[float], None]:
    """Limit what this process may use; return a function that limits the processor time of the next call."""
    try:
        import resource
    except ImportError:  # Windows: OpenKoi ends a script that takes too long, and limits nothing else
        return lambda seconds: None
    import starlark  # noqa: F401  # loaded before the limits

    size = megabytes * 1024 * 1024
    for kind, most in (
        (resource.RLIMIT_DATA, size),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (getattr(resource, "RLIMIT_NPROC", resource.RLIMIT_CORE), 0),
    ):
        resource.setrlimit(kind, (most, most))

    def limit_processor(seconds: float) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime + 2 * seconds) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    return limit_processor


if __name__ == "__main__":
    main(*sys.argv[1:])
