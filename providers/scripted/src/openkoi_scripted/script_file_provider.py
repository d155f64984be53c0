"""A provider that answers from script files, selected as ``scripted/<file>``."""

from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Chunk, Env, Model, Request, RequestRejectedError
from openkoi_hookspecs.content import IMAGE_TYPES

from .matching import choose_turn, count_assistant_turns, no_match_message
from .reader import read_script
from .script import Script
from .streaming import stream_turn

MEDIA_TYPES = (*IMAGE_TYPES, "application/pdf")


class ScriptedProvider:
    """A scripted provider, configured by ``[providers.scripted] folder``.

    A model is the name of a script in the folder, or a path. Only failures are remembered, so that each happens once
    per conversation and a retry succeeds; conversations are distinguished by their first message.
    """

    media_types = MEDIA_TYPES

    def __init__(self, *, folder: Annotated[str, Env("OPENKOI_SCRIPTED")] = "") -> None:
        self.folder = folder
        self.accidents: dict[tuple[str, str], frozenset[int]] = {}

    async def models(self) -> Sequence[Model]:
        """List the valid scripts in the folder; ``health`` reports the others."""
        return [to_model(name, script) for name, script in self.scripts().items() if isinstance(script, Script)]

    async def describe(self, name: str) -> Model:
        """Return a script as a model, wherever its file is."""
        return to_model(name, read_script(self.find_script(name)))

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer with the first matching unused turn."""
        script = read_script(self.find_script(request.model))
        conversation = script.file, repr([*request.messages[:1]])
        past = self.accidents.get(conversation, frozenset())
        chosen = choose_turn(script, request, past)
        if chosen is None:
            raise RequestRejectedError(no_match_message(script, request, past))
        turn = script.turns[chosen]
        if turn.fails and not turn.repeat:
            self.accidents[conversation] = past | {chosen}
        async for chunk in stream_turn(turn, request, f"call-{chosen + 1}-{count_assistant_turns(request.messages)}"):
            yield chunk

    async def health(self) -> Mapping[str, str]:
        """List the scripts in the folder; raise the error of the first invalid one."""
        scripts = self.scripts()
        for script in scripts.values():
            if isinstance(script, RequestRejectedError):
                raise script
        return {"folder": self.folder or "none", "scripts": ", ".join(scripts) or "none"}

    def scripts(self) -> Mapping[str, Script | RequestRejectedError]:
        """Read all scripts in the folder."""
        files = sorted(Path(self.folder).glob("*.yaml")) if self.folder else []
        return {file.stem: read_or_error(file) for file in files}

    def find_script(self, name: str) -> Path:
        """Find a script by name in the folder, or by path."""
        known = [Path(self.folder, f"{name}.yaml"), Path(self.folder, name)] if self.folder else []
        places = [*known, Path(name).expanduser()]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            tried_in = ", ".join(str(place.absolute()) for place in places)
            raise RequestRejectedError(
                f"No script {name!r}. Searched {tried_in}. Select one with -m scripted/<path to a file>."
            )
        return found


def read_or_error(file: Path) -> Script | RequestRejectedError:
    """Return a script, or its error."""
    try:
        return read_script(file)
    except RequestRejectedError as error:
        return error


def to_model(name: str, script: Script) -> Model:
    """Return the capabilities that a script declares."""
    return Model(name, context=script.context, output=script.output, price=script.price, can=script.can)
