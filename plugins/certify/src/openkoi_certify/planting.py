"""Plant one defect in a text. Knows Python, SQL, Markdown and OpenAPI as far as it takes; knows no judge.

Each defect is a function from a text to damaged texts, one for each place that there is for it. What is Python stays
Python.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from .golden import SampleDraft

Damage: TypeAlias = Callable[[str], Iterable[str]]
EDGES: Mapping[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
STUDY = " An independent study of 4,200 cases confirmed in 2019 that this holds everywhere."
WEATHER = "By the way, the best season for a journey to the coast is late summer, when the hotels are half empty.\n"
ORDERED = """

COUNTED = []


def test_one_is_counted():
    COUNTED.append(1)
    assert COUNTED == [1]


def test_it_is_still_counted():
    assert len(COUNTED) == 1
"""
WEIGHTY = 60
OLD = "# How long we wait for the mail server.\nTIMEOUT = 30\nRETRIES = 3\n"


def pieces(text: str, node: ast.expr | ast.stmt) -> tuple[str, str, str]:
    """What stands before a node, the node, and what stands after it."""
    lines = text.splitlines(keepends=True)
    last = node.end_lineno or node.lineno
    start = "".join(lines[: node.lineno - 1]) + lines[node.lineno - 1].encode()[: node.col_offset].decode()
    end = lines[last - 1].encode()[node.end_col_offset or 0 :].decode() + "".join(lines[last:])
    return start, text[len(start) : len(text) - len(end)], end


def python(found: Iterable[str]) -> Iterator[str]:
    """Those that can be parsed."""
    for text in found:
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        yield text


def off_by_one(text: str) -> Iterator[str]:
    """Let a border in, or keep it out."""
    compares = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare) and len(node.ops) == 1)
    return python(moved_edge(text, node) for node in compares if type(node.ops[0]) in EDGES)


def moved_edge(text: str, node: ast.Compare) -> str:
    start, left, rest = pieces(text, node.left)
    _, right, end = pieces(text, node.comparators[0])
    return f"{start}{left} {EDGES[type(node.ops[0])]} {right}{end}" if rest else text


def invert_conditions(text: str) -> Iterator[str]:
    """Turn a condition round."""
    tests = [node.test for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If)]
    return python("{}not ({}){}".format(*pieces(text, test)) for test in tests)


def dropped_check(text: str) -> Iterator[str]:
    """Leave out a check that refuses bad input."""
    checks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If) and refuses(node)]
    return python(without(text, node) for node in checks)


def refuses(node: ast.If) -> bool:
    return isinstance(node.body[-1], ast.Raise) and not node.orelse


def without(text: str, node: ast.stmt) -> str:
    """The text without the lines of a statement, its decorators included."""
    lines = text.splitlines(keepends=True)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return "".join(lines[: first - 1] + lines[node.end_lineno or node.lineno :])


def swallow_errors(text: str) -> Iterator[str]:
    """Say nothing where an error was raised."""
    raises = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    return python("{0}return{2}".format(*pieces(text, node)) for node in raises)


def assertions(text: str) -> list[ast.Assert]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]


def weakened_test(text: str) -> Iterator[str]:
    """Let an assertion hold for almost anything."""
    return python(
        "{0}assert {left} is not None{2}".format(*pieces(text, node), left=ast.unparse(node.test.left))
        for node in assertions(text)
        if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Eq)
    )


def removed_assertion(text: str) -> Iterator[str]:
    """Take out the last assertion of a test."""
    tests = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    last = (node.body[-1] for node in tests if node.name.startswith("test_") and len(node.body) > 1)
    return python(without(text, node) for node in last if isinstance(node, ast.Assert))


def removed_test(text: str) -> Iterator[str]:
    """Take out the last test but one, or one before it."""
    tests = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and "test_" in node.name]
    return (without(text, test) for test in reversed(tests[:-1]) if len(tests) > 2)


def tautology(text: str) -> Iterator[str]:
    """Compare a value with itself."""
    nodes = [node for node in assertions(text) if isinstance(node.test, ast.Compare)]
    values = (ast.unparse(node.test.comparators[0]) for node in nodes if isinstance(node.test, ast.Compare))
    return python(
        "{0}assert {v} == {v}{2}".format(*pieces(text, node), v=value)
        for node, value in zip(nodes, values, strict=True)
    )


def make_substitution(pattern: str, to: str) -> Damage:
    """Return a defect that is one replacement."""
    compiled = re.compile(pattern, re.MULTILINE | re.DOTALL)

    def damage(text: str) -> Iterator[str]:
        return (text[: found.start()] + found.expand(to) + text[found.end() :] for found in compiled.finditer(text))

    return damage


def wrong_number(text: str) -> Iterator[str]:
    """Write another last digit in a number of several that does not end in nought."""
    for found in re.finditer(r"\b\d+([1-9])\b", text):
        yield text[: found.end() - 1] + str(int(found[1]) % 9 + 1) + text[found.end() :]


def reverse_order(text: str) -> Iterator[str]:
    """Reverse the order of the parts."""
    parts = text.strip().split("\n\n")
    if len(parts) > 3:
        yield "\n\n".join([parts[0], *reversed(parts[1:])]) + "\n"


def dropped_part(text: str) -> Iterator[str]:
    """Leave out the part in the middle, or another one after the first."""
    parts = text.strip().split("\n\n")
    middle = len(parts) // 2
    others = (n for n, part in enumerate(parts) if n not in (0, middle) and len(part) >= WEIGHTY)
    for place in (middle, *others) if len(parts) > 3 else ():
        start = place - 1 if parts[place - 1].startswith("#") else place
        yield "\n\n".join([*parts[:start], *parts[place + 1 :]]) + "\n"


@dataclass(frozen=True, slots=True)
class Defect:
    """What can be done to files whose names end so; a ``grave`` one makes the work useless or dangerous."""

    damage: Damage
    endings: tuple[str, ...]
    grave: bool = False


CODE, TESTS, PROSE, SQL, YAML = (".py",), ("test_",), (".md",), (".sql",), (".yaml",)
DEFECTS: Mapping[str, Defect] = {
    "off_by_one": Defect(off_by_one, CODE),
    "inverted": Defect(invert_conditions, CODE, grave=True),
    "dropped_check": Defect(dropped_check, CODE, grave=True),
    "swallowed": Defect(swallow_errors, CODE),
    "weakened_test": Defect(weakened_test, TESTS),
    "removed_assertion": Defect(removed_assertion, TESTS),
    "removed_test": Defect(removed_test, TESTS),
    "tautology": Defect(tautology, TESTS, grave=True),
    "shared_state": Defect(lambda text: [text.rstrip() + ORDERED], TESTS),
    "fabricated": Defect(make_substitution(r"(\n\n[^#\n-][^\n]*)", rf"\1{STUDY}"), PROSE, grave=True),
    "wrong_number": Defect(wrong_number, PROSE, grave=True),
    "negated": Defect(make_substitution(r"\b(do|does|is|has) not\b", r"\1"), PROSE, grave=True),
    "dropped_part": Defect(dropped_part, PROSE),
    "shuffled": Defect(reverse_order, PROSE),
    "off_topic": Defect(lambda text: [WEATHER + text], PROSE),
    "no_where": Defect(make_substitution(r"\n WHERE [^\n;]*(?:<|=)[^\n;]*;", ";"), SQL, grave=True),
    "no_way_back": Defect(
        make_substitution(r"\n(?:DROP INDEX|ALTER TABLE orders\n    DROP|DROP TABLE)[^;]*;\n", "\n"), SQL
    ),
    "nullable": Defect(make_substitution(r" NOT NULL", ""), SQL),
    "no_index": Defect(make_substitution(r"CREATE INDEX [^;]*;\n\n", ""), SQL),
    "no_transaction": Defect(make_substitution(r"\ABEGIN;\n\n(.*?)COMMIT;\n", r"\1"), SQL, grave=True),
    "wrong_status": Defect(make_substitution(r'"404"', '"200"'), YAML, grave=True),
    "wrong_method": Defect(make_substitution(r"^    (?:delete|patch):", "    get:"), YAML, grave=True),
    "no_error_shape": Defect(make_substitution(r'\n        "4\d\d": \{\$ref[^\n]*', ""), YAML),
    "odd_name": Defect(make_substitution(r"^  /ponds/\{id\}([^:\n]*):", r"  /getPondById/{id}\1:"), YAML),
    "no_description": Defect(make_substitution(r"      summary: [^\n]*\n", ""), YAML),
}


def plant_defect(draft: SampleDraft, name: str, place: int = 0) -> SampleDraft | None:
    """Return the draft with a defect at its first or a later place, or None without one."""
    return next(islice(plantings(draft, name), place, None), None)


def plantings(draft: SampleDraft, name: str) -> Iterator[SampleDraft]:
    """The draft with a defect, in each place that there is for it."""
    if name == "unrelated":
        yield rewritten(draft)
        return
    defect = DEFECTS[name]
    for file, text in draft.files.items():
        tests = file.startswith("test_")
        fits = tests if defect.endings == TESTS else file.endswith(defect.endings) and not tests
        for damaged in defect.damage(text) if fits else ():
            if damaged != text:
                yield replace(draft, files={**draft.files, file: damaged})


def rewritten(draft: SampleDraft) -> SampleDraft:
    """Return the draft with an unrequested change in an unrelated file."""
    changed = OLD.replace("# How long we wait for the mail server.\n", "").replace("30", "3")
    return replace(draft, files={**draft.files, "mail_settings.py": changed}, before={"mail_settings.py": OLD})


def grave(name: str) -> bool:
    """Whether a defect makes the work useless or dangerous."""
    return name in DEFECTS and DEFECTS[name].grave
