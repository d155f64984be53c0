"""Scripts in files, each selectable like a model: ``rehearsal/<file>``."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Chunk, Env, Model, Request, RequestRejectedError
from openkoi_hookspecs.content import IMAGE_TYPES

from .matching import at_a_loss, choose, spoken
from .reading import read
from .script import Script
from .speaking import speak

MEDIA_TYPES = (*IMAGE_TYPES, "application/pdf")


class Rehearsal:
    """Configured by ``[providers.rehearsal] folder``: where scripts are known by their bare names.

    A model is such a name, or a path. Only accidents are remembered, so that a retry is not met by the same one:
    each happens once in a conversation, and conversations are told apart by their first message.
    """

    def __init__(self, *, folder: Annotated[str, Env("OPENKOI_REHEARSAL")] = "") -> None:
        self.folder = folder
        self.accidents: dict[tuple[str, str], frozenset[int]] = {}

    @property
    def media_types(self) -> Collection[str]:
        """What it is shown besides text."""
        return MEDIA_TYPES

    async def models(self) -> Sequence[Model]:
        """List the scripts in the folder that can be read; ``health`` tells of the others."""
        return [model(name, script) for name, script in self.scripts().items() if isinstance(script, Script)]

    async def describe(self, name: str) -> Model:
        """Say what a script pretends to be, whether it lies in the folder or not."""
        return model(name, read(self.find(name)))

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer with the first unused turn that fits."""
        script = read(self.find(request.model))
        conversation = script.file, repr([*request.messages[:1]])
        past = self.accidents.get(conversation, frozenset())
        chosen = choose(script, request, past)
        if chosen is None:
            raise RequestRejectedError(at_a_loss(script, request, past))
        turn = script.turns[chosen]
        if turn.fails and not turn.repeat:
            self.accidents[conversation] = past | {chosen}
        async for chunk in speak(turn, request, f"call-{chosen + 1}-{spoken(request.messages)}"):
            yield chunk

    async def health(self) -> Mapping[str, str]:
        """Name the scripts of the folder, or the first that is broken."""
        scripts = self.scripts()
        for script in scripts.values():
            if isinstance(script, RequestRejectedError):
                raise script
        return {"folder": self.folder or "none", "scripts": ", ".join(scripts) or "none"}

    def scripts(self) -> Mapping[str, Script | RequestRejectedError]:
        """Read the whole folder."""
        files = sorted(Path(self.folder).glob("*.yaml")) if self.folder else []
        return {file.stem: tried(file) for file in files}

    def find(self, name: str) -> Path:
        """Find a script by its name in the folder, else by its path."""
        known = [Path(self.folder, f"{name}.yaml"), Path(self.folder, name)] if self.folder else []
        places = [*known, Path(name).expanduser()]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            tried_in = ", ".join(str(place.absolute()) for place in places)
            raise RequestRejectedError(
                f"No script {name!r}. Looked for {tried_in}. Choose one with -m rehearsal/<path to a file>."
            )
        return found


def tried(file: Path) -> Script | RequestRejectedError:
    """Read a script, or say why not."""
    try:
        return read(file)
    except RequestRejectedError as error:
        return error


def model(name: str, script: Script) -> Model:
    """Say what a script pretends to be."""
    return Model(name, context=script.context, output=script.output, price=script.price, can=script.can)
