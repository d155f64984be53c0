"""A model behind the provider socket: it knows a request and its own mind, and learns nothing by itself.

It reads the task and whatever else stands in the prompt, follows what it is told more or less, knows a trick now and
then, and otherwise does what comes to mind first, which is wrong. Asked for lessons, it answers in many forms.
"""

import json
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from random import Random

from koi_words import Family
from koi_world import Truths, heard

from openkoi_hookspecs import Chunk, FinishReason, Message, Model, Request, Role, StreamEnd, Text, ToolCall, Usage

SPAN, LINES, WEARY = 2_400, 8, 0.99
TASK = re.compile(r"^# Task\n\n(?P<task>.*?)(?:\n\n|\Z)", re.DOTALL)
FILE = "settings.toml"
DONE_SO = ("I have set the {name} to {value}.", "The {name} is {value} now.", "{name}: {value}")
LEAVES = 4


@dataclass(slots=True)
class Mind:
    """The model. ``project`` is only what its own knowledge is about; all else it reads. ``told`` is what it was shown
    beside the task at the first attempt, for who measures."""

    truths: Truths
    seed: int = 0
    project: str = "pond0"
    told: str = ""
    asked: int = 0
    random: Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = Random(f"mind {self.truths.like.name} {self.seed}")

    async def models(self) -> Sequence[Model]:
        """There is one."""
        return [Model("script", context=100_000, output=4_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """One answer: work, or what was learned from it."""
        if not request.tools:
            yield Text(self.reflection("\n".join(map(words, request.messages))))
            yield StreamEnd(Usage(input=200, output=20))
            return
        call = isinstance(request.messages[-1].parts[-1], Text) and self.truths.like.output == "file"
        text = "It is done." if self.written(request) else self.answer(request)
        if call:
            self.asked += 1
            yield ToolCall(f"c{self.asked}", "write_file", {"path": FILE, "content": text})
        else:
            yield Text(text)
        yield StreamEnd(Usage(input=500, output=50), FinishReason.TOOLS if call else FinishReason.END)

    def written(self, request: Request) -> bool:
        """Whether its file is written, and there is nothing left to do but to say so."""
        return self.truths.like.output == "file" and not isinstance(request.messages[-1].parts[-1], Text)

    def answer(self, request: Request) -> str:
        """The work: a value for each thing that the task takes."""
        first, last = words(request.messages[0]), words(request.messages[-1])
        found = TASK.match(first)
        task = found["task"] if found else first
        beside = first[len(found[0]) :] if found else ""
        needs = self.truths.needs(task)
        if len(request.messages) == 1 and "Fix " not in beside:
            self.told = beside
            chosen = {one.slot: self.first(one, beside) for one in needs}
        else:
            tried = [words(one) for one in request.messages if one.role is Role.ASSISTANT]
            lines = last.partition("Fix ")[2].splitlines() or last.splitlines()
            chosen = {one.slot: self.again(one, needs, lines, tried) for one in needs}
        return self.put(needs, chosen)

    def put(self, needs: Sequence[Family], chosen: dict[str, str]) -> str:
        """The values as they are handed in."""
        if self.truths.like.output == "file":
            return "".join(f'{one.slot} = "{chosen[one.slot]}"\n' for one in needs)
        says = self.random.choice(DONE_SO)
        return "\n".join(says.format(name=one.names[0], value=chosen[one.slot]) for one in needs)

    def first(self, family: Family, beside: str) -> str:
        """What comes to mind at the first attempt.

        It takes in the last SPAN characters of what it is shown; each line beyond LINES makes it a little less likely
        that one of them is followed.
        """
        lines = [line for line in beside[-SPAN:].splitlines() if line.strip()]
        advised, denied = heard(lines, family)
        follows = self.truths.like.obeys * WEARY ** max(0, len(lines) - LINES)
        if advised and self.random.random() < follows:
            return self.random.choice(advised)
        return self.own(family, denied)

    def own(self, family: Family, wrong: set[str]) -> str:
        """What it does by itself: what it knows, else the trap, unless it is known to be one."""
        if self.random.random() < self.truths.like.knows:
            return self.truths.right[self.project][family.slot]
        trap = self.truths.trap[self.project][family.slot]
        left = [value for value in family.values if value not in wrong]
        return trap if trap not in wrong else self.random.choice(left or [trap])

    def again(self, family: Family, needs: Sequence[Family], lines: Sequence[str], tried: Sequence[str]) -> str:
        """What it does after it was told what is wrong: as it is told, or something else, or what was not blamed."""
        used = [value for one in tried for value in family.values if value in one]
        advised, denied = heard(lines, family)
        if advised and self.random.random() < self.truths.like.obeys:
            return self.random.choice(advised)
        blamed = [one for one in needs if concerns(lines, one)] or list(needs)
        if used and family not in blamed:
            return used[-1]
        return self.own(family, denied | set(used))

    def reflection(self, record: str) -> str:
        """What it makes of a run: the right form, another form, nothing, or something wrong."""
        needs = [one for one in self.truths.needs(record) if heard([record], one)[0]]
        if not needs or self.random.random() < 0.2:
            return "NONE"
        one = self.random.choice(needs)
        last = heard([line for line in record.splitlines() if "Task:" not in line], one)[0]
        value = self.random.choice(one.values) if self.random.random() < 0.2 or not last else last[-1]
        lesson = f"Use `{value}` as the {self.random.choice(one.names)} of {one.thing}."
        ask = self.random.choice(one.asks)
        forms = (f"{lesson[:-1]} | {ask} | - | 1", f"{lesson[:-1]} | {one.thing} | - | -", f"- {lesson}")
        return self.random.choice((*forms, json.dumps({"lessons": [{"lesson": lesson, "when": ask}]})))


def concerns(lines: Sequence[str], family: Family) -> bool:
    """Whether some lines are about a family."""
    return any(word in line.lower() for line in lines for word in (*family.names, family.thing, *family.values))


def words(message: Message) -> str:
    """What stands in a message: its words, and what it writes into files."""
    texts = (part.text if isinstance(part, Text) else written(part) for part in message.parts)
    return "\n".join(texts)


def written(part: object) -> str:
    return str(part.arguments.get("content", "")) if isinstance(part, ToolCall) else ""
