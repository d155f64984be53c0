"""Return the repository's own functions, and the first lines of their docstrings as questions."""

import ast
from collections.abc import Iterator
from pathlib import Path

from .recall_talk import Question, Talk

ROOT = Path(__file__).parents[2]
FOLDERS = ("hookspecs", "kernel")


def code(every: int = 1) -> Talk:
    """Return every function without its docstring, in the order of the files.

    Of those with one, every n-th is asked for.
    """
    found = Talk()
    for path, node in functions():
        output = ast.get_docstring(node)
        if output:
            node.body = node.body[1:] or [ast.Pass()]
        number = found.say("", "", str(path), ast.unparse(node))
        found.about[-1] = path.stem
        if output and number % every == 0:
            found.questions.append(Question(output.splitlines()[0], "docstring", (number,)))
    return found


def functions() -> Iterator[tuple[Path, "ast.FunctionDef | ast.AsyncFunctionDef"]]:
    """Yield all functions and methods of the sources."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("**/src/**/*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield path.relative_to(ROOT), node
