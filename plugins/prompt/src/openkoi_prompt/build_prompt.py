"""Build the prompts of an iteration from a plan's sections: the system prompt, the first message, and the feedback.

Layers are ordered by how rarely they change: system, project, then the task with its environment and what is recalled,
then the conversation, which only grows. Text that the user did not write is fenced as data.
"""

import re
from collections.abc import Iterable, Sequence

from openkoi_hookspecs import ExecutionResult, Finding, Layer, Learning, Plan, Recall, Section, Task
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .diff_summary import summarize_diff, summarize_text
from .instructions import INSTRUCTIONS_SECTION, executor_instructions

DATA_TAG = lazy_pattern(r"</?data(-*)", re.IGNORECASE)
ENVIRONMENT = "environment"
LONG_INPUT_CHARACTERS = (
    4_000  # characters; after longer input the task is repeated: OpenAI's and Anthropic's long-context advice
)
MAX_REPEATED_CHARACTERS = 2_000  # characters of the task that are repeated at most
NEXT = "Resolve every point, check the result again, then answer for the whole task, not only for these points."
NO_FINDINGS = "No critical findings. Minor improvements possible."
LESSONS = """\
# Lessons from earlier tasks

Apply those that fit. The task and the files as they are now take precedence."""
REVIEW = "Compare the result with every point of the task, improve what is missing or weak, check it, then answer."
RESTARTED = (
    "An earlier attempt made the result worse and was undone. The files are as in the diff. "
    "Find out why it failed before you change anything, and take another approach."
)


def build_system_prompt(plan: Plan) -> tuple[str, ...]:
    """Build the system prompt, which no iteration changes: instructions first, then the project's rules."""
    known = any(section.name == INSTRUCTIONS_SECTION for section in plan.sections)
    system = texts_of_layer(plan.sections if known else (executor_instructions(), *plan.sections), Layer.SYSTEM)
    project = texts_of_layer(plan.sections, Layer.PROJECT)
    return tuple("\n\n".join(block) for block in (system, project) if block)


def texts_of_layer(sections: Iterable[Section], layer: Layer) -> list[str]:
    return [format_section(section) for section in sections if section.layer is layer]


def format_section(section: Section) -> str:
    """Format a section for the model."""
    return quote_untrusted(section.name, section.text) if section.untrusted else section.text


def quote_untrusted(name: str, text: str) -> str:
    """Return data between tags that do not occur in it, in upper or lower case."""
    taken = [len(dashes) for dashes in DATA_TAG.findall(f"{name} {text}")]
    mark = "data" + "-" * (max(taken) + 1 if taken else 0)
    return f'<{mark} name="{name}">\n{text}\n</{mark}>'


def first_message(task: Task, plan: Plan) -> str:
    """Return the first message: the task, and what is known about it."""
    parts = [f"# Task\n\n{task.text}", *quote_input(task)]
    if plan.steps:
        parts.append("# Plan\n\n" + "\n".join(f"{n}. {step}" for n, step in enumerate(plan.steps, 1)))
    facts = [section for section in plan.sections if is_environment(section)]
    if facts:
        parts.append(environment_block(facts))
    parts += texts_of_layer([section for section in plan.sections if section not in facts], Layer.TASK)
    return "\n\n".join(parts)


def quote_input(task: Task) -> Iterable[str]:
    """Yield the input as data; after long input, the task again."""
    if task.context:
        yield quote_untrusted("input", task.context)
    if len(task.context) > LONG_INPUT_CHARACTERS and len(task.text) <= MAX_REPEATED_CHARACTERS:
        yield f"The input ends here. The task, again: {task.text}"


def is_environment(section: Section) -> bool:
    """Return whether a section states facts about the environment: its name is ``environment``, or starts with that."""
    return section.layer is Layer.TASK and section.name.partition(".")[0] == ENVIRONMENT


def environment_block(sections: Iterable[Section]) -> str:
    """Return the facts about the environment in one block, a line each."""
    lines = (line for section in sections for line in section.text.splitlines())
    return "\n".join([f"<{ENVIRONMENT}>", *lines, f"</{ENVIRONMENT}>"])


def feedback_message(plan: Plan) -> str:
    """Return the open findings of the last evaluation, what to do next, and its one line of advice."""
    count = len(plan.feedback)
    issues = [f"Fix {count} issue{'s' if count != 1 else ''}:", *map(format_finding, plan.feedback), NEXT]
    lines = issues if plan.feedback else [NO_FINDINGS, REVIEW]
    return "\n".join([*lines, plan.suggestion] if plan.suggestion else lines)


def format_finding(finding: Finding) -> str:
    """Return a finding as an item of a list; the further lines of its text are indented."""
    place = f" ({finding.where})" if finding.where else ""
    wanted = (finding.fix or finding.detail or "fix this").replace("\n", "\n  ")
    return f"- [{finding.severity}] {finding.title}{place}: {wanted}"


def restart_message(task: Task, plan: Plan, best: ExecutionResult) -> str:
    """Return the first message of a new conversation: the task, the state of the work, and what is wrong with it."""
    return "\n\n".join([first_message(task, plan), RESTARTED, describe_work(best), feedback_message(plan)])


def describe_work(best: ExecutionResult) -> str:
    """Return the state of the work: the changes, or the answer if there are none."""
    if best.diff:
        return quote_untrusted("diff of the work so far", summarize_diff(best.diff))
    answer = quote_untrusted("best answer so far, in outline", summarize_text(best.text)) if best.text else ""
    return "\n\n".join(filter(None, ["No files changed so far.", answer]))


def merge_sections(sections: Iterable[Section]) -> tuple[Section, ...]:
    """Return the sections; a later one replaces an earlier one of its name in its place, an empty one removes it."""
    kept: dict[str, Section] = {}
    for section in sections:
        kept[section.name] = section
    return tuple(section for section in kept.values() if section.text)


def recall_sections(recall: Recall) -> tuple[Section, ...]:
    """Return memory's results: lessons that are approved or proved to help are instructions, the rest is data."""
    memos = [hit.item for hit in recall.hits]
    learned = [memo.text for memo in memos if isinstance(memo, Learning) and not memo.untrusted]
    recalled = [memo.text for memo in memos if not isinstance(memo, Learning) or memo.untrusted]
    sections = []
    if learned:
        sections.append(Section("learned", f"{LESSONS}\n\n{format_bullets(learned)}"))
    if recalled:
        sections.append(Section("recall", format_bullets(recalled), untrusted=True))
    return tuple(sections)


def format_bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in dict.fromkeys(lines))


def trailing_sections(sections: Sequence[Section]) -> str:
    """Return the sections that apply to one iteration only, which come last."""
    return "\n\n".join(format_section(section) for section in sections)
