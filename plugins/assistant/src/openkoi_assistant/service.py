"""Start the daemon when the user logs in, as a user service of systemd or launchd."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from openkoi_base.files import replace_file
from openkoi_hookspecs import KoiError

from .background import daemon_command

LABEL = "openkoi.daemon"
UNIT = """\
[Unit]
Description=OpenKoi assistant
After=network-online.target

[Service]
ExecStart={command}
ExecReload=/bin/kill -HUP $MAINPID
WorkingDirectory={folder}
{environment}Restart=on-failure
RestartSec=5

[Install]
WantedBy=default.target
"""
AGENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>{label}</string>
  <key>ProgramArguments</key><array>{arguments}</array>
  <key>WorkingDirectory</key><string>{folder}</string>
  <key>EnvironmentVariables</key><dict>{environment}</dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict>
</plist>
"""
KEYS = "The daemon does not inherit your environment variables. Save keys with `openkoi init` and `openkoi connect`."
KEPT_VARIABLES = ("OPENKOI_HOME", "OPENKOI_CONFIG", "PATH")


def service_file() -> Path:
    """Return the path of this user's service file; raise KoiError on a system without systemd or launchd."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "LaunchAgents" / f"{LABEL}.plist"
    if sys.platform.startswith("linux"):
        base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        return Path(base) / "systemd" / "user" / "openkoi.service"
    raise KoiError(
        "`openkoi daemon install` supports only systemd and launchd. Set up your system to run "
        "`openkoi daemon run` at login."
    )


def install_service(folder: Path) -> str:
    """Write the service file and start the service; return what was done and what is left to do."""
    file = service_file()
    variables = {name: os.environ[name] for name in KEPT_VARIABLES if os.environ.get(name)}
    text = launchd_agent(folder, variables) if sys.platform == "darwin" else systemd_unit(folder, variables)
    replace_file(file, text)
    failed = run_all(start_commands(file))
    state = f"The daemon was not started: {failed.rstrip('.')}." if failed else "The daemon starts when you log in."
    return f"Wrote {file}. {state} {KEYS}"


def uninstall_service() -> str:
    """Stop the service and remove its file; return what was done."""
    file = service_file()
    if not file.exists():
        raise KoiError(f"{file} does not exist, so there is nothing to remove.")
    run_all(stop_commands(file))
    file.unlink()
    return f"Removed {file}."


def systemd_unit(folder: Path, variables: dict[str, str]) -> str:
    """Return a unit that runs the daemon in a folder."""
    pairs = (quote_word(f"{name}={value}") for name, value in variables.items())
    environment = "".join(f"Environment={pair}\n" for pair in pairs)
    command = " ".join(map(quote_word, daemon_command()))
    return UNIT.format(command=command, folder=escape_percent(str(folder)), environment=environment)


def quote_word(text: str) -> str:
    """Return a text quoted as one word of a list in a systemd unit."""
    words = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escape_percent(words)}"'


def escape_percent(text: str) -> str:
    """Return a text escaped so that systemd reads it literally."""
    return text.replace("%", "%%")


def launchd_agent(folder: Path, variables: dict[str, str]) -> str:
    """Return an agent that runs the daemon in a folder."""
    arguments = "".join(f"<string>{escape(word)}</string>" for word in daemon_command())
    pairs = (f"<key>{escape(name)}</key><string>{escape(value)}</string>" for name, value in variables.items())
    return AGENT.format(label=LABEL, arguments=arguments, folder=escape(str(folder)), environment="".join(pairs))


def start_commands(file: Path) -> list[list[str]]:
    """Return the commands that start the service."""
    if sys.platform == "darwin":
        return [["launchctl", "load", "-w", str(file)]]
    return [["systemctl", "--user", "daemon-reload"], ["systemctl", "--user", "enable", "--now", file.name]]


def stop_commands(file: Path) -> list[list[str]]:
    """Return the commands that stop the service."""
    if sys.platform == "darwin":
        return [["launchctl", "unload", "-w", str(file)]]
    return [["systemctl", "--user", "disable", "--now", file.name]]


def run_all(commands: list[list[str]]) -> str:
    """Run commands in turn; return the error of the first that failed, else an empty text."""
    for command in commands:
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{shlex.join(command)}: {error}"
        if done.returncode:
            return f"{shlex.join(command)}: {done.stderr.strip() or done.returncode}"
    return ""
