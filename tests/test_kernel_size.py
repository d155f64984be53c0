"""The kernel stays small, counted together with the libraries that nothing else imports; and so does each app."""

import ast
import io
import re
import tokenize
from pathlib import Path

import pytest
from test_layers import FOLDERS, LIBRARIES, ROOT, distribution_of, name_of

KERNEL = "openkoi-kernel"
MAX_LINES = 2_500  # lower the figure with it
MAX_LINES_OF_AN_APP = 600  # issue 21
IMPORTS = re.compile(r"^\s*(?:from|import) (openkoi_\w+)", re.MULTILINE)
OUTSIDE_LINES = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT})


def test_the_kernel_and_what_only_it_imports_are_small() -> None:
    folders = {KERNEL: ROOT / "kernel"} | {name_of(folder): folder for folder in FOLDERS}
    sizes = {name: sum(map(code_lines, (folders[name] / "src").rglob("*.py"))) for name in own_parts(folders)}

    print(*(f"{lines:6} {name}" for name, lines in sizes.items()), f"{sum(sizes.values()):6} of {MAX_LINES}", sep="\n")
    assert MAX_LINES - 100 <= sum(sizes.values()) <= MAX_LINES


@pytest.mark.parametrize("app", sorted(path.name for path in (ROOT / "integrations").iterdir() if path.is_dir()))
def test_an_app_is_small(app: str) -> None:
    size = sum(map(code_lines, (ROOT / "integrations" / app / "src").rglob("*.py")))

    print(f"{size:6} {app}")
    assert size <= MAX_LINES_OF_AN_APP


def own_parts(folders: dict[str, Path]) -> list[str]:
    """Return the kernel, and the libraries that nothing but it and they import."""
    used = {name: imported_names(folder) for name, folder in folders.items()}
    parts = [KERNEL]
    while found := [
        library
        for library in sorted(LIBRARIES - {*parts})
        if (users := {name for name in used if library in used[name] and name != library}) and users <= {*parts}
    ]:
        parts += found
    return parts


def imported_names(folder: Path) -> set[str]:
    """Return the distributions that a folder's code imports, by its lines: to parse all modules takes seconds."""
    texts = (path.read_text() for path in (folder / "src").rglob("*.py"))
    return {distribution_of(module) for text in texts for module in IMPORTS.findall(text)}


def code_lines(path: Path) -> int:
    """Return the lines of a file that are code: no comments, docstrings or empty lines."""
    text = path.read_text()
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = {
        line
        for token in tokens
        if token.type not in OUTSIDE_LINES and token.string
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - docstring_lines(ast.parse(text)))


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the lines of all docstrings."""
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = (node.body[0] for node in ast.walk(tree) if isinstance(node, owners) and node.body)
    strings = (one for one in first if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
    docstrings = (one for one in strings if isinstance(one.value, ast.Constant) and isinstance(one.value.value, str))
    return {line for one in docstrings for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
