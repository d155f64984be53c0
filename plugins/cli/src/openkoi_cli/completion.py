"""Define ``openkoi completion SHELL``, which prints a shell completion script."""

import click
from click.shell_completion import get_completion_class

from .frontends import COMPLETE_VARIABLE
from .group import OpenKoi

SHELLS = ("bash", "zsh", "fish", "powershell")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell: eval "$(openkoi completion bash)"."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"This version of click does not support completion for {shell}.")
    click.echo(kind(OpenKoi(ctx.find_root().obj), {}, "openkoi", COMPLETE_VARIABLE).source())
