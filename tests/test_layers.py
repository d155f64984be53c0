"""Test which modules may import which, read from the code itself."""

import ast
import gc
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from openkoi_runlog.record_format import FILE_NAMES

ROOT = Path(__file__).parent.parent
KINDS = ("providers", "evaluators", "integrations", "plugins")
FOLDERS = sorted(p.parent for kind in KINDS for p in ROOT.glob(f"{kind}/*/pyproject.toml"))
LIBRARIES = {
    *("openkoi-agents", "openkoi-base", "openkoi-http", "openkoi-loader", "openkoi-prompt", "openkoi-runlog"),
    *("openkoi-search", "openkoi-terminal"),
}
CARRIED = {  # packages that come with a distribution of another name
    "openkoi_compaction": "openkoi-prompt",
    "openkoi_local": "openkoi-runlog",
    "openkoi_models": "openkoi-loader",
    "openkoi_settings": "openkoi-loader",
}
BRING_A_PLUGIN_TOO = {
    "openkoi-agents": "the hook and worker of agents",
    "openkoi-prompt": "the compactors, and the tool that reads what they omitted",
    "openkoi-runlog": "where questions wait, and the budget of a day",
    "openkoi-search": "two embedders that need no server",
}
HOLD_THE_KERNEL = {"openkoi-testing"}
TABLES_OF_PLUGINS = {"plugins.mcp", "plugins.scripts", "plugins.wasm"}  # which their plugins read
DECLARING = ("keys.py", "plugin_keys.py", "setting_names.py")
KERNELS_LIBRARIES = {"openkoi_loader", "openkoi_models", "openkoi_prompt", "openkoi_settings"}
USE_THEM_TOO = {
    "openkoi-certify": {"openkoi_models"},  # sizes of requests
    "openkoi-learning": {"openkoi_prompt"},  # what a task is looked up by
    "openkoi-testrunner": {"openkoi_prompt"},  # whether a task is a question, for which no tests are run
}


TOP = {
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"),
    *("kernel", "plugins", "providers", "integrations", "evaluators", "hookspecs", "tests", "examples"),
}


MUST_NOT_IMPORT = {  # the module, and what it works without
    "kernel/src/openkoi/loop.py": {"openkoi_models", "openkoi_prompt", "openkoi_loader", "time"},
    "kernel/src/openkoi/inner_loop.py": {"evaluate", "plan", "pathlib"},
    "kernel/src/openkoi/tool_dispatch.py": {"openkoi_prompt", "plan", "model_client"},
    "kernel/src/openkoi/sandbox_runner.py": {"openkoi_sandbox"},
    "plugins/duckdb/src/openkoi_duckdb/reject_records.py": {"tables", "schema"},
    "plugins/duckdb/src/openkoi_duckdb/run_rows.py": {"duckdb", "engine"},
    "plugins/http/src/openkoi_http/blank.py": {"vendor_names"},
    "plugins/http/src/openkoi_http/image_encoding.py": {"vendor_names"},
    "plugins/loader/src/openkoi_models/task_budget.py": {"model_client", "openkoi_prompt"},
    "plugins/loader/src/openkoi_settings/config.py": {"config_toml", "layers"},
    "plugins/loader/src/openkoi_settings/config_toml.py": {"key", "keys"},
    "plugins/loader/src/openkoi_settings/project_policy.py": {"config_toml", "tomllib"},
    "plugins/loader/src/openkoi_settings/value.py": {"config_toml", "key", "keys"},
    "plugins/sandbox/src/openkoi_sandbox/retry_when_full.py": {"run_until_timeout", "launch"},
}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of a module, itself first; garbage is not looked for among the nodes of all modules."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    gc.freeze()
    return nodes


def imports(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield every module that the sources of a distribution import, by its first name."""
    for path in sorted((folder / "src").rglob("*.py")):
        if "project" in path.relative_to(folder).parts:
            continue
        for node in nodes_of(path):
            if isinstance(node, ast.Import):
                yield from ((path, alias.name.partition(".")[0]) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                yield path, node.module.partition(".")[0]


def declared_dependencies(folder: Path) -> set[str]:
    """Return the dependencies in a folder's pyproject."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return {plain(wanted) for wanted in project.get("dependencies", [])}


def plain(requirement: str) -> str:
    name = "".join(c if c.isalnum() or c in "-_." else " " for c in requirement).split()[0]
    return name.lower().replace("_", "-")


def name_of(folder: Path) -> str:
    return str(tomllib.loads((folder / "pyproject.toml").read_text())["project"]["name"])


def packages_of(folder: Path) -> set[str]:
    """Return the packages that a distribution carries."""
    return {path.name for path in (folder / "src").iterdir() if path.name.startswith("openkoi")}


def packages_built(folder: Path) -> set[str]:
    """Return the packages of a distribution's wheel: those that its pyproject names, or the one of its name."""
    tools = tomllib.loads((folder / "pyproject.toml").read_text()).get("tool", {})
    named = tools.get("uv", {}).get("build-backend", {}).get("module-name")
    return {*(named or [name_of(folder).replace("-", "_")])}


def distribution_of(package: str) -> str:
    """Return the distribution that carries a package."""
    return CARRIED.get(package, "openkoi-kernel" if package == "openkoi" else package.replace("_", "-"))


def test_the_contract_imports_the_standard_library_and_pluggy() -> None:
    allowed = {*sys.stdlib_module_names, "pluggy", "openkoi_hookspecs"}

    assert set() == {module for _, module in imports(ROOT / "hookspecs")} - allowed


def test_the_kernel_names_no_plugin() -> None:
    named = {distribution_of(module) for _, module in imports(ROOT / "kernel") if module.startswith("openkoi_")}

    assert {"openkoi-hookspecs", *LIBRARIES} >= named
    assert declared_dependencies(ROOT / "kernel") >= named


@pytest.mark.parametrize("path", MUST_NOT_IMPORT)
def test_a_module_works_without(path: str) -> None:
    imported = [node for node in nodes_of(ROOT / path) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {name for node in imported for name in names_of(node)}

    assert names, path
    assert set() == MUST_NOT_IMPORT[path] & names


def names_of(node: ast.Import | ast.ImportFrom) -> set[str]:
    """Return the parts of all modules that a statement names, and what it takes from them."""
    modules = [alias.name for alias in node.names] + ([node.module or ""] if isinstance(node, ast.ImportFrom) else [])
    return {part for module in modules for part in module.split(".")}


def test_libraries_bring_no_plugin() -> None:
    texts = [
        name_of(folder)
        for folder in FOLDERS
        if "entry-points" in tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    ]

    assert {*BRING_A_PLUGIN_TOO} == LIBRARIES & set(texts)
    assert LIBRARIES <= set(map(name_of, FOLDERS))


def test_no_plugin_is_named_in_the_kernel_s_code() -> None:
    """Not even as a word: the bundle names them."""
    kinds = {'"testing"', '"tools"', '"sandbox"', '"checkpoints"'}
    plugins = [folder for folder in FOLDERS if name_of(folder) not in LIBRARIES]
    words = {f'"{folder.name}"' for folder in plugins} - kinds - {'"evaluate"', '"chat"'}  # methods
    sources = {path: path.read_text() for path in (ROOT / "kernel" / "src").rglob("*.py")}

    assert [] == [(path.name, word) for path, text in sources.items() for word in words if word in text]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_plugin_imports_the_contract_and_what_it_declares(folder: Path) -> None:
    own = packages_of(folder)
    allowed = declared_dependencies(folder)

    for path, module in imports(folder):
        if not module.startswith("openkoi") or module in own:
            continue
        wanted = distribution_of(module)
        assert wanted in allowed, f"{folder.name}: {path.name} imports {module}, which is not declared"
        if name_of(folder) not in HOLD_THE_KERNEL:
            assert wanted in {"openkoi-hookspecs", *LIBRARIES}, f"{folder.name}: {path.name} imports {module}"


def test_plugins_use_the_contract_and_public_libraries() -> None:
    """The command line is a frontend like that of any third party. The others read declarations and sums, no more."""
    plugins = [one for one in FOLDERS if name_of(one) not in LIBRARIES | HOLD_THE_KERNEL]
    imported = {name_of(one): {module for _, module in imports(one)} & KERNELS_LIBRARIES for one in plugins}

    assert USE_THEM_TOO == {name: libraries for name, libraries in imported.items() if libraries}
    assert set() == declared_dependencies(ROOT / "plugins" / "cli") & {*map(distribution_of, KERNELS_LIBRARIES)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_one_derivation_names_folder_distribution_and_package(folder: Path) -> None:
    carried = {package for package, carrier in CARRIED.items() if carrier == name_of(folder)}

    assert f"openkoi-{folder.name}" == name_of(folder)
    assert {f"openkoi_{folder.name}", *carried} == packages_of(folder)
    assert all((folder / "src" / package / "__init__.py").is_file() for package in packages_of(folder))
    assert packages_of(folder) == packages_built(folder)


@pytest.mark.parametrize("folder", [*FOLDERS, ROOT / "hookspecs", ROOT / "kernel"], ids=lambda folder: folder.name)
def test_every_distribution_is_small_on_paper(folder: Path) -> None:
    """A README that fits a screen, and a pyproject of a few lines."""
    assert 5 < len((folder / "README.md").read_text().splitlines()) <= 60
    assert len((folder / "pyproject.toml").read_text().splitlines()) <= 28


def test_nothing_else_lies_at_the_top_level() -> None:
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = {line.partition("/")[0] for line in result.stdout.splitlines()}

    assert set() == {name for name in names if not name.startswith(".")} - TOP


def test_bundles_contain_no_code() -> None:
    assert [] == list((ROOT / "plugins" / "bundle").rglob("*.py"))


def test_versions_are_calendar_dates_and_agree() -> None:
    versions = {
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (*FOLDERS, ROOT / "kernel", ROOT)
    }
    from openkoi import __version__

    assert {__version__} == versions


@pytest.mark.parametrize(
    "folder", [one for one in FOLDERS if "openkoi-runlog" in declared_dependencies(one)], ids=name_of
)
def test_only_the_log_looks_into_its_unparsed_lines(folder: Path) -> None:
    nodes = (node for path in (folder / "src").rglob("*.py") for node in nodes_of(path))
    found = (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, bytes))

    assert [] == [value for value in found if b'"type":"' in value or b'"ts":"' in value]


@pytest.mark.parametrize("folder", [*FOLDERS, ROOT / "kernel"], ids=lambda folder: folder.name)
def test_no_setting_is_written_where_it_is_not_declared(folder: Path) -> None:
    """Code goes by the declaration of a common setting, or names it where the contract reads it.

    The command line, which has the contract alone, names what it reads and sets in one file.
    """
    from openkoi_settings.keys import BY_NAME, KEYS

    known = {*BY_NAME, *(former.name for key in KEYS for former in key.former)}
    paths = [path for path in (folder / "src").rglob("*.py") if path.name not in DECLARING]
    nodes = [(path, node) for path in paths for node in nodes_of(path)]
    read = {id(node.args[0]): node for _, node in nodes if isinstance(node, ast.Call) and reads_setting(node)}
    rows = [(path.name, node) for path, node in nodes if isinstance(node, ast.Constant) and node.value in known]

    assert [] == [(name, node.value) for name, node in rows if id(node) not in read]
    assert set() == undeclared_settings(read.values(), known)


def reads_setting(call: ast.Call) -> bool:
    """Return whether a call is one by which the contract reads a setting: ``SharedSetting`` or ``koi.setting``."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in ("SharedSetting", "setting") and bool(call.args)


def undeclared_settings(calls: Iterable[ast.Call], texts: Collection[str]) -> set[str]:
    """Return the settings of common tables that calls name although none is declared so."""
    names = {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}
    tables = {name.partition(".")[0] for name in texts} - {"hooks", "evaluators", "tools", "use"}
    common = {name for name in names if isinstance(name, str) and name.partition(".")[0] in tables}
    return common - {*texts} - TABLES_OF_PLUGINS


def class_fields(path: Path) -> Iterator[tuple[ast.ClassDef, ast.expr]]:
    """Yield every value that a class of a module assigns in its body."""
    classes = (node for node in nodes_of(path) if isinstance(node, ast.ClassDef))
    return ((one, step.value) for one in classes for step in one.body if isinstance(step, ast.Assign))


def is_event(one: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("Event") for base in one.bases)


@cache
def event_names() -> frozenset[str]:
    """Return the names of all events, as their classes have them."""
    folders = (*FOLDERS, ROOT / "hookspecs")
    fields = (field for folder in folders for path in (folder / "src").rglob("*.py") for field in class_fields(path))
    named = (value for one, value in fields if is_event(one) and isinstance(value, ast.Constant))
    return frozenset(value.value for value in named if isinstance(value.value, str))


def is_name_of_event(node: ast.AST) -> bool:
    """Return whether it is ``event.name`` or ``record.event.name``."""
    owner = node.value if isinstance(node, ast.Attribute) and node.attr == "name" else None
    return getattr(owner, "id", getattr(owner, "attr", "")) == "event"


def matches_by_string(node: ast.AST) -> bool:
    """Return whether it names an event by a string, compares an event's name.

    Or reads an event that was not decoded.
    """
    match node:
        case ast.Constant(value=str() | bytes() as value):
            text = value.decode("latin-1") if isinstance(value, bytes) else value
            return text in FILE_NAMES.values() or ("." in text and text in event_names())
        case ast.Compare(left=left, comparators=others):
            return any(map(is_name_of_event, (left, *others)))
        case ast.Match(subject=subject):
            return is_name_of_event(subject)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]) | ast.MatchClass(cls=kind):
            return "UnknownEvent" in ast.unparse(kind)
    return False


@pytest.mark.parametrize("folder", [*FOLDERS, ROOT / "kernel"], ids=lambda folder: folder.name)
def test_events_are_matched_by_their_class(folder: Path) -> None:
    """A fact that crosses from one plugin to another is an event class of the contract, which anyone can import."""
    paths = list((folder / "src").rglob("*.py"))
    defining = {value for path in paths for _, value in class_fields(path)}
    nodes = ((path, node) for path in paths for node in nodes_of(path) if node not in defining)
    found = [f"{path.name}: {ast.unparse(node)}" for path, node in nodes if matches_by_string(node)]

    assert "judge.voted" in event_names()
    assert [] == found or folder.name == "runlog"


@pytest.mark.parametrize("folder", [*FOLDERS, ROOT / "kernel", ROOT / "hookspecs"], ids=lambda folder: folder.name)
def test_no_timer_of_the_process_is_used(folder: Path) -> None:
    """Signals and the timer belong to the program that embeds OpenKoi."""
    names = (node for path in (folder / "src").rglob("*.py") for node in nodes_of(path))
    used = {str(getattr(node, "attr", getattr(node, "id", ""))) for node in names}

    assert set() == {"SIGALRM", "setitimer"} & used


def test_no_source_file_is_longer_than_300_lines() -> None:
    """A longer one holds several concepts: split it by them."""
    folders = (*FOLDERS, ROOT / "kernel", ROOT / "hookspecs")
    lengths = {path: len(path.read_text().splitlines()) for one in folders for path in (one / "src").rglob("*.py")}

    assert [] == [str(path.relative_to(ROOT)) for path, length in lengths.items() if length > 300]


def modules_of(folder: Path) -> dict[str, Path]:
    """Return the modules of a distribution by their full names."""
    source = folder / "src"
    paths = [path.relative_to(source) for path in source.rglob("*.py") if "project" not in path.parts]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): source / path for path in paths}


def imported_modules(name: str, path: Path) -> Iterator[str]:
    """Yield every module, or name of a module, that a module imports, wherever in it and also for types alone."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imports_within(modules: dict[str, Path]) -> dict[str, set[str]]:
    """By module, which others of its package it imports."""
    found = {name: set(imported_modules(name, path)) for name, path in modules.items()}
    owners = {
        name: {one if one in modules else one.rpartition(".")[0] for one in imported}
        for name, imported in found.items()
    }
    return {name: (imported & modules.keys()) - {name} for name, imported in owners.items()}


@pytest.mark.parametrize("folder", [*FOLDERS, ROOT / "kernel", ROOT / "hookspecs"], ids=lambda folder: folder.name)
def test_no_module_imports_itself_by_way_of_others(folder: Path) -> None:
    """Imports within functions and for types count: a circle is one module in several files."""
    graph = imports_within(modules_of(folder))
    while leaves := {name for name, imported in graph.items() if not imported & graph.keys()}:
        graph = {name: imported for name, imported in graph.items() if name not in leaves}

    assert {} == {name: sorted(imported & graph.keys()) for name, imported in graph.items()}


KERNELS_OWN = {"services", "components", "router", "user_questions", "note_limit", "seconds_left", "with_deadline"}
RUNS_OWN = {"chat", "execute", "emit"}


def reaches_the_kernel(node: ast.AST) -> bool:
    """Return whether it uses what OpenKoi is made of, declares that.

    Or is a run of a plugin's own that forwards calls.
    """
    match node:
        case ast.Attribute(attr="services"):
            return True
        case ast.Attribute(attr=attr, value=ast.Name(id="koi") | ast.Attribute(attr="koi")):
            return attr in KERNELS_OWN
        case ast.ClassDef(bases=bases, body=body):
            methods = {one.name for one in body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}
            names = {ast.unparse(base).partition("[")[0] for base in bases}
            private = bool((KERNELS_OWN | RUNS_OWN) & methods or {"Koi", "Run"} & names)
            return RUNS_OWN <= methods or ("Protocol" in names and private)
    return False


@pytest.mark.parametrize(
    "folder", [one for one in FOLDERS if name_of(one) not in HOLD_THE_KERNEL], ids=lambda folder: folder.name
)
def test_a_plugin_reaches_openkoi_by_the_contract_alone(folder: Path) -> None:
    nodes = ((path, node) for path in (folder / "src").rglob("*.py") for node in nodes_of(path))

    assert [] == [f"{path.name}:{node.lineno}" for path, node in nodes if reaches_the_kernel(node)]  # type: ignore[attr-defined]  # such nodes have a line
