"""Keep the definitions that the user approved, so that tools are offered before their server has started.

What is kept is used only while the kernel has consent for its digest: a changed file is not approved.
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from openkoi_base.files import read_small_text, replace_file
from openkoi_base.grants import explain_missing
from openkoi_base.printable import escaped_line
from openkoi_hookspecs import YES_OR_NO, Koi, KoiError, Question, is_yes
from openkoi_hookspecs.lazy_dataclass import dataclass

from .definitions import Definitions, describe_changes, describe_tools
from .server_config import CALL_SECONDS, ServerConfig

SEE_ALL = "To see full descriptions and schemas, run `openkoi mcp test --all {0}`."
START, CONNECT = "Start", "Connect to"
ALLOW, CHANGED = "Allow the ", "The "


@dataclass(frozen=True, slots=True)
class Snapshots:
    """The approved definitions, by server."""

    koi: Koi

    def file(self, config: ServerConfig) -> Path:
        """Return the file of a server; one of a project has its own, whatever its name."""
        place = f"{config.origin if config.project else ''}\0{config.name}"
        return self.koi.folder("mcp") / f"{sha256(place.encode()).hexdigest()[:16]}.json"

    def read(self, config: ServerConfig) -> Definitions | None:
        """Return the last approved definitions, whether or not they are still approved."""
        try:
            found = json.loads(read_small_text(self.file(config)))
            return Definitions(tuple(found["tools"]), tuple(found["prompts"]), found["resources"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def read_other(self, config: ServerConfig, definitions: Definitions) -> Definitions | None:
        """Return the last approved definitions, if they differ."""
        found = self.read(config)
        return found if found and found.to_json() != definitions.to_json() else None

    def find_approved(self, config: ServerConfig) -> Definitions | None:
        """Return the currently approved definitions."""
        found = self.read(config)
        return found if found and self.allows(config, found) else None

    def allows(self, config: ServerConfig, definitions: Definitions) -> bool:
        """Whether the user approved both the start of this server and these definitions."""
        started = is_yes(self.koi.consent(start_question(config).digest))
        return started and is_yes(self.koi.consent(definitions.digest(config)))

    def refuses(self, config: ServerConfig, definitions: Definitions) -> bool:
        """Whether the user decided about them, and refused."""
        answer = self.koi.consent(definitions.digest(config))
        return answer is not None and not is_yes(answer)

    def keep(self, config: ServerConfig, definitions: Definitions) -> None:
        """Save the approved definitions."""
        try:
            replace_file(self.file(config), json.dumps(definitions.to_json()))
        except OSError as error:
            raise KoiError(f"{self.file(config)} cannot be written: {error.strerror}.") from None

    def forget(self, config: ServerConfig) -> None:
        """Revoke all answers about a server and its earlier configurations; forget the approved definitions."""
        started = (start_subject(config, verb) for verb in (START, CONNECT))
        subjects = (*started, *(text + name_subject(config) for text in (ALLOW, CHANGED)))
        for one in self.koi.consents():
            if one.text.startswith(subjects):
                self.koi.revoke_consent(one.id)
        self.file(config).unlink(missing_ok=True)

    def question(self, config: ServerConfig, definitions: Definitions) -> Question:
        """Return the question whether a model may call these tools."""
        before = self.read_other(config, definitions)
        subject = f"{name_subject(config)}{escaped_line(config.command_line)})"
        text = f"{ALLOW}{subject} with {describe_tools(definitions)}?"
        if before is not None:
            changes = describe_changes(before, definitions)
            text = f"{CHANGED}{subject} changed since you allowed it: {changes}. Allow it now?"
        text = f"{text} {SEE_ALL.format(config.name)}"
        return Question(text, choices=YES_OR_NO, keep=True, digest=definitions.digest(config))


def start_question(config: ServerConfig) -> Question:
    """Return the question whether a server may be started, before anything of it runs."""
    started = f"{start_subject(config)}{escaped_line(config.command_line)}?"
    text = f"{started} {describe_given(config)}".rstrip()
    digest = sha256(json.dumps(["openkoi-mcp start", config.identity], sort_keys=True).encode()).hexdigest()
    return Question(text, choices=YES_OR_NO, keep=True, digest=digest)


def start_subject(config: ServerConfig, verb: str = "") -> str:
    """Return the start of questions about starting a server, which does not depend on its command."""
    verb = verb or (CONNECT if config.table.url else START)
    return f"{verb} the MCP server {config.name} of {config.origin}: "


def name_subject(config: ServerConfig) -> str:
    """Return the name of a server in questions about its tools, which does not depend on its command."""
    return f"MCP server {config.name} ("


def explain_why(config: ServerConfig, koi: Koi) -> str:
    """Return why a server is not used, as a clause."""
    return explain_missing(koi, start_subject(config))


def describe_given(config: ServerConfig) -> str:
    """Describe what a server gets beyond the defaults, and its other settings; empty if there is nothing."""
    import shlex

    table, names = config.table, config.given_variables
    texts = []
    if table.inherit_env and not table.url:
        texts.append("It gets all your environment variables, including your API keys.")
    elif names:
        texts.append(f"It gets your {list_names('variable', names)}.")
    noun, given = ("header", table.headers) if table.url else ("variable", table.env)
    if given:
        texts.append(f"Its configuration sets the {list_names(noun, show_pairs(config, given))}.")
    if table.cwd and not table.url:
        texts.append(f"It is started in {shlex.quote(table.cwd)}.")
    if config.project and table.timeout != CALL_SECONDS:
        texts.append(f"A call may take {table.timeout:,g} s.")
    return escaped_line(" ".join(texts))


def show_pairs(config: ServerConfig, given: Mapping[str, str]) -> list[str]:
    """Return the variables that a file sets; all of a project's, since values such as NODE_OPTIONS run code."""
    import shlex

    from .given_secrets import given_secrets

    if not config.project:
        return [*given]
    secrets = set(given_secrets(config.table, {}))
    # A value that has other words beside a secret is shown in full: they may be a command.
    return [name if (name, text) in secrets else f"{name}={shlex.quote(text)}" for name, text in given.items()]


def list_names(noun: str, names: Sequence[str]) -> str:
    return f"{noun}{'' if len(names) == 1 else 's'} {', '.join(names)}"
