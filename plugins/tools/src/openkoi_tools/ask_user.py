"""The tool ``ask_user``: a question to the person, and what they say. What a person says is an instruction.

Where nobody answers, the model is told so and goes on. It is told once: after that, one more question that nobody
answers is a failed call, so that a run which does nothing but ask is seen to stand still.
"""

from openkoi_hookspecs import Arguments, Effect, Question, Tool, ToolError, ToolResult
from openkoi_schema import Parameters

from .toolkit import Desk

PARAMETERS = Parameters(
    {
        "question": {"type": "string"},
        "choices": {"type": "array", "items": {"type": "string"}},
    },
    required=("question",),
)
UNANSWERED = "No user answered. Decide yourself, continue, and state in your final answer what you assumed."


def ask_user(desk: Desk) -> Tool:
    """Make the tool for one run."""
    unanswered: list[str] = []

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        if not given.text("question").strip():
            raise ToolError("The question is empty. Write the question.")
        answer = await desk.run.ask(Question(given.text("question"), choices=given.texts("choices")))
        if answer is not None:
            return ToolResult(answer)
        unanswered.append(given.text("question"))
        return ToolResult(UNANSWERED, failed=len(unanswered) > 1)

    return Tool(
        "ask_user",
        "Ask the user a question that only they can answer.",
        PARAMETERS.schema(),
        call,
        effect=Effect.READS,
        progress_text="Asking: {question}",
    )
