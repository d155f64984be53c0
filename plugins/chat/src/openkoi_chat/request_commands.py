"""Commands that send a fixed message to the model, and the command that sets up a model."""

from .attachments import Draft
from .banner import SET_UP
from .chat import ChatProgram

INIT = (
    "Write AGENTS.md in the root of this project: instructions for coding agents that work here. First read the "
    "README, the configuration of builds and tests, and the main source folders. Include the commands that build, "
    "test and lint, also for a single test; how the parts work together, where that takes several files to see; and "
    "the conventions of the code. If there is an AGENTS.md or CLAUDE.md, improve it and keep what is still true. "
    "Leave out general advice. Write only what you found in the files."
)
REVIEW = (
    "Review {what}. Read the diff and the code around it. Report bugs, security problems and missing tests: the file "
    "and line, what goes wrong, and how to fix it; the most severe first. Do not change any files."
)
CHANGES = "the uncommitted changes of this repository, or the last commit if there are none"


async def init(chat: ChatProgram, words: str) -> None:
    """Let the model write instructions for this project; without a model, set one up."""
    if chat.model == SET_UP:
        await setup(chat, words)
    else:
        chat.session.submit(Draft(f"{INIT} {words}".strip()))


async def review(chat: ChatProgram, words: str) -> None:
    """Let the model review changes."""
    chat.session.submit(Draft(REVIEW.format(what=words or CHANGES)))


async def setup(chat: ChatProgram, words: str) -> None:
    """Set up a model, on the terminal."""
    await chat.hand_over("init")
    await chat.reopen()
    chat.model = await chat.require_koi().resolve_model("executor")
    chat.show_status()
