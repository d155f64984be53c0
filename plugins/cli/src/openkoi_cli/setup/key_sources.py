"""Describe to the user where a provider's key or login comes from."""

from enum import StrEnum


class KeySource(StrEnum):
    """Where a key or login is from."""

    ENV_VAR = "EnvVar"
    CLAUDE_CLI_CREDENTIALS = "ClaudeCliCredentials"
    CLAUDE_CLI_KEYCHAIN = "ClaudeCliKeychain"
    OPENAI_CODEX_CLI = "OpenAICodexCli"
    QWEN_CLI = "QwenCli"
    OLLAMA_PROBE = "OllamaProbe"
    CONFIG_FILE = "ConfigFile"

    def hint(self, variable: str = "") -> str:
        """Return the hint that follows a provider's name."""
        return HINTS[self].format(variable)


HINTS = {
    KeySource.ENV_VAR: "from {}",
    KeySource.CLAUDE_CLI_CREDENTIALS: "from Claude CLI",
    KeySource.CLAUDE_CLI_KEYCHAIN: "from macOS Keychain",
    KeySource.OPENAI_CODEX_CLI: "from Codex CLI",
    KeySource.QWEN_CLI: "from Qwen CLI",
    KeySource.OLLAMA_PROBE: "local",
    KeySource.CONFIG_FILE: "saved",
}
