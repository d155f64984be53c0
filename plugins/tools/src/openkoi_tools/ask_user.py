"""Define the tool ``ask_user``, whose answer is an instruction.

Without an answer the model is asked once to decide and to continue. After that, one more unanswered question is a
failed call, so that a run which does nothing but ask counts as stuck.
"""

from openkoi_base.schema.parameters import Parameters
from openkoi_hookspecs import Arguments, Effect, Question, Tool, ToolError, ToolResult

from .tool_context import ToolContext

PARAMETERS = Parameters(
    {
        "question": {"type": "string"},
        "choices": {"type": "array", "items": {"type": "string"}},
    },
    required=("question",),
)
UNANSWERED = "No user answered. Decide yourself, continue, and state in your final answer what you assumed."


def ask_user(context: ToolContext) -> Tool:
    """Return the tool for one run."""
    unanswered: list[str] = []

    async def call(arguments: Arguments) -> ToolResult:
        given = PARAMETERS.accept(arguments)
        if not given.text("question").strip():
            raise ToolError("The question is empty. Write the question.")
        answer = await context.run.ask(Question(given.text("question"), choices=given.texts("choices")))
        if answer is not None:
            return ToolResult(answer)
        unanswered.append(given.text("question"))
        return ToolResult(UNANSWERED, failed=len(unanswered) > 1)

    return Tool(
        "ask_user",
        "Ask the user a question that only they can answer.",
        PARAMETERS.to_schema(),
        call,
        effect=Effect.READS,
        progress_text="Asking: {question}",
    )
