"""Where a way to a model can come from, and how a person is told. Knows words only."""

from enum import StrEnum


class Source(StrEnum):
    """The kinds of places; a variable has a name besides."""

    ENV_VAR = "EnvVar"
    CLAUDE_CLI_CREDENTIALS = "ClaudeCliCredentials"
    CLAUDE_CLI_KEYCHAIN = "ClaudeCliKeychain"
    OPENAI_CODEX_CLI = "OpenAICodexCli"
    QWEN_CLI = "QwenCli"
    OLLAMA_PROBE = "OllamaProbe"
    CONFIG_FILE = "ConfigFile"

    def hint(self, variable: str = "") -> str:
        """What a person reads behind the name of the provider."""
        return HINTS[self].format(variable)


HINTS = {
    Source.ENV_VAR: "from {}",
    Source.CLAUDE_CLI_CREDENTIALS: "from Claude CLI",
    Source.CLAUDE_CLI_KEYCHAIN: "from macOS Keychain",
    Source.OPENAI_CODEX_CLI: "from Codex CLI",
    Source.QWEN_CLI: "from Qwen CLI",
    Source.OLLAMA_PROBE: "local",
    Source.CONFIG_FILE: "saved",
}
