"""Plant defects (mutations) in Python, SQL, Markdown and OpenAPI texts.

A defect is a function from a text to damaged texts, one for each place it fits. Damaged Python still parses.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

from .golden_set import SampleDraft

Damage: TypeAlias = Callable[[str], Iterable[str]]
SHIFTED_COMPARISONS: Mapping[type[ast.cmpop], str] = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
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
MIN_PART_CHARACTERS = 60  # a judge may not notice that a shorter paragraph is missing; estimate
UNRELATED_FILE = "# How long we wait for the mail server.\nTIMEOUT = 30\nRETRIES = 3\n"


def split_at(text: str, node: ast.expr | ast.stmt) -> tuple[str, str, str]:
    """Return the text before a node, the node's text, and the text after it."""
    lines = text.splitlines(keepends=True)
    last = node.end_lineno or node.lineno
    start = "".join(lines[: node.lineno - 1]) + lines[node.lineno - 1].encode()[: node.col_offset].decode()
    end = lines[last - 1].encode()[node.end_col_offset or 0 :].decode() + "".join(lines[last:])
    return start, text[len(start) : len(text) - len(end)], end


def keep_parsable(found: Iterable[str]) -> Iterator[str]:
    """Yield the texts that parse."""
    for text in found:
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        yield text


def shift_boundaries(text: str) -> Iterator[str]:
    """Include or exclude the boundary of a comparison."""
    compares = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Compare) and len(node.ops) == 1)
    return keep_parsable(shift_comparison(text, node) for node in compares if type(node.ops[0]) in SHIFTED_COMPARISONS)


def shift_comparison(text: str, node: ast.Compare) -> str:
    start, left, rest = split_at(text, node.left)
    _, right, end = split_at(text, node.comparators[0])
    return f"{start}{left} {SHIFTED_COMPARISONS[type(node.ops[0])]} {right}{end}" if rest else text


def invert_conditions(text: str) -> Iterator[str]:
    """Negate a condition."""
    tests = [node.test for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If)]
    return keep_parsable("{}not ({}){}".format(*split_at(text, test)) for test in tests)


def drop_checks(text: str) -> Iterator[str]:
    """Remove a check that rejects bad input."""
    checks = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.If) and raises_error(node)]
    return keep_parsable(remove_statement(text, node) for node in checks)


def raises_error(node: ast.If) -> bool:
    return isinstance(node.body[-1], ast.Raise) and not node.orelse


def remove_statement(text: str, node: ast.stmt) -> str:
    """Return the text without a statement and its decorators."""
    lines = text.splitlines(keepends=True)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorators)])
    return "".join(lines[: first - 1] + lines[node.end_lineno or node.lineno :])


def swallow_errors(text: str) -> Iterator[str]:
    """Return instead of raising an error."""
    raises = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Raise)]
    return keep_parsable("{0}return{2}".format(*split_at(text, node)) for node in raises)


def find_assertions(text: str) -> list[ast.Assert]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Assert)]


def weaken_assertions(text: str) -> Iterator[str]:
    """Weaken an assertion to ``is not None``."""
    return keep_parsable(
        "{0}assert {left} is not None{2}".format(*split_at(text, node), left=ast.unparse(node.test.left))
        for node in find_assertions(text)
        if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Eq)
    )


def remove_assertions(text: str) -> Iterator[str]:
    """Remove a test's last assertion."""
    tests = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    last = (node.body[-1] for node in tests if node.name.startswith("test_") and len(node.body) > 1)
    return keep_parsable(remove_statement(text, node) for node in last if isinstance(node, ast.Assert))


def remove_tests(text: str) -> Iterator[str]:
    """Remove the last test but one, or an earlier one."""
    tests = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and "test_" in node.name]
    return (remove_statement(text, test) for test in reversed(tests[:-1]) if len(tests) > 2)


def compare_with_itself(text: str) -> Iterator[str]:
    """Compare a value with itself."""
    nodes = [node for node in find_assertions(text) if isinstance(node.test, ast.Compare)]
    values = (ast.unparse(node.test.comparators[0]) for node in nodes if isinstance(node.test, ast.Compare))
    return keep_parsable(
        "{0}assert {v} == {v}{2}".format(*split_at(text, node), v=value)
        for node, value in zip(nodes, values, strict=True)
    )


def make_substitution(pattern: str, to: str) -> Damage:
    """Return a defect that is one regular expression replacement."""
    compiled = re.compile(pattern, re.MULTILINE | re.DOTALL)

    def damage(text: str) -> Iterator[str]:
        return (text[: found.start()] + found.expand(to) + text[found.end() :] for found in compiled.finditer(text))

    return damage


def change_numbers(text: str) -> Iterator[str]:
    """Change the last digit of a number of several digits that does not end in 0."""
    for found in re.finditer(r"\b\d+([1-9])\b", text):
        yield text[: found.end() - 1] + str(int(found[1]) % 9 + 1) + text[found.end() :]


def reverse_order(text: str) -> Iterator[str]:
    """Reverse the order of the parts."""
    parts = text.strip().split("\n\n")
    if len(parts) > 3:
        yield "\n\n".join([parts[0], *reversed(parts[1:])]) + "\n"


def drop_parts(text: str) -> Iterator[str]:
    """Remove the middle paragraph, or another one after the first."""
    parts = text.strip().split("\n\n")
    middle = len(parts) // 2
    others = (n for n, part in enumerate(parts) if n not in (0, middle) and len(part) >= MIN_PART_CHARACTERS)
    for place in (middle, *others) if len(parts) > 3 else ():
        start = place - 1 if parts[place - 1].startswith("#") else place
        yield "\n\n".join([*parts[:start], *parts[place + 1 :]]) + "\n"


@dataclass(frozen=True, slots=True)
class Defect:
    """A mutation for files with these name endings; a ``severe`` one makes the work useless or dangerous."""

    damage: Damage
    endings: tuple[str, ...]
    severe: bool = False


CODE, TESTS, PROSE, SQL, YAML = (".py",), ("test_",), (".md",), (".sql",), (".yaml",)
DEFECTS: Mapping[str, Defect] = {
    "off_by_one": Defect(shift_boundaries, CODE),
    "inverted": Defect(invert_conditions, CODE, severe=True),
    "dropped_check": Defect(drop_checks, CODE, severe=True),
    "swallowed": Defect(swallow_errors, CODE),
    "weakened_test": Defect(weaken_assertions, TESTS),
    "removed_assertion": Defect(remove_assertions, TESTS),
    "removed_test": Defect(remove_tests, TESTS),
    "tautology": Defect(compare_with_itself, TESTS, severe=True),
    "shared_state": Defect(lambda text: [text.rstrip() + ORDERED], TESTS),
    "fabricated": Defect(make_substitution(r"(\n\n[^#\n-][^\n]*)", rf"\1{STUDY}"), PROSE, severe=True),
    "wrong_number": Defect(change_numbers, PROSE, severe=True),
    "negated": Defect(make_substitution(r"\b(do|does|is|has) not\b", r"\1"), PROSE, severe=True),
    "dropped_part": Defect(drop_parts, PROSE),
    "shuffled": Defect(reverse_order, PROSE),
    "off_topic": Defect(lambda text: [WEATHER + text], PROSE),
    "no_where": Defect(make_substitution(r"\n WHERE [^\n;]*(?:<|=)[^\n;]*;", ";"), SQL, severe=True),
    "no_way_back": Defect(
        make_substitution(r"\n(?:DROP INDEX|ALTER TABLE orders\n    DROP|DROP TABLE)[^;]*;\n", "\n"), SQL
    ),
    "nullable": Defect(make_substitution(r" NOT NULL", ""), SQL),
    "no_index": Defect(make_substitution(r"CREATE INDEX [^;]*;\n\n", ""), SQL),
    "no_transaction": Defect(make_substitution(r"\ABEGIN;\n\n(.*?)COMMIT;\n", r"\1"), SQL, severe=True),
    "wrong_status": Defect(make_substitution(r'"404"', '"200"'), YAML, severe=True),
    "wrong_method": Defect(make_substitution(r"^    (?:delete|patch):", "    get:"), YAML, severe=True),
    "no_error_shape": Defect(make_substitution(r'\n        "4\d\d": \{\$ref[^\n]*', ""), YAML),
    "odd_name": Defect(make_substitution(r"^  /ponds/\{id\}([^:\n]*):", r"  /getPondById/{id}\1:"), YAML),
    "no_description": Defect(make_substitution(r"      summary: [^\n]*\n", ""), YAML),
}


def plant_defect(draft: SampleDraft, name: str, place: int = 0) -> SampleDraft | None:
    """Return the draft with the defect in its first or a later place, or None."""
    return next(islice(plant_everywhere(draft, name), place, None), None)


def plant_everywhere(draft: SampleDraft, name: str) -> Iterator[SampleDraft]:
    """Yield the draft with the defect, in each place it fits."""
    if name == "unrelated":
        yield rewrite_unrelated_file(draft)
        return
    defect = DEFECTS[name]
    for file, text in draft.files.items():
        tests = file.startswith("test_")
        fits = tests if defect.endings == TESTS else file.endswith(defect.endings) and not tests
        for damaged in defect.damage(text) if fits else ():
            if damaged != text:
                yield replace(draft, files={**draft.files, file: damaged})


def rewrite_unrelated_file(draft: SampleDraft) -> SampleDraft:
    """Return the draft with an unrequested change in an unrelated file."""
    changed = UNRELATED_FILE.replace("# How long we wait for the mail server.\n", "").replace("30", "3")
    return replace(
        draft, files={**draft.files, "mail_settings.py": changed}, before={"mail_settings.py": UNRELATED_FILE}
    )


def is_severe(name: str) -> bool:
    """Return whether a defect makes the work useless or dangerous."""
    return name in DEFECTS and DEFECTS[name].severe
