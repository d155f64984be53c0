"""Run benchmarks of ours and others in turn. They inform; no test fails because of time.

    python tests/benchmarks [startup] [first_write] [steps] [streaming] [at_once] [recall] [recall_speed] [remembering]
                            [acknowledge] [compaction] [plugin_calls] [run_end] [chat] [daemon] [--rounds N] [--save]

OpenKoi takes part as ``pip install openkoi`` gives it: wheels in a virtualenv of their own, with all default plugins.
"""

import argparse
import io
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from time import monotonic


def main() -> None:
    """Run the requested benchmarks, or all."""
    sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a folder, this is no package yet
    from benchmarks import (
        acknowledge,
        at_once,
        chat,
        compaction,
        daemon,
        first_write,
        plugin_calls,
        recall,
        recall_speed,
        remembering,
        run_end,
        startup,
        steps,
        streaming,
    )

    all_of_them = {
        "startup": startup.show,
        "first_write": first_write.show,
        "steps": steps.show,
        "streaming": streaming.show,
        "at_once": at_once.show,
        "recall": recall.show,
        "recall_speed": recall_speed.show,
        "remembering": remembering.show,
        "acknowledge": acknowledge.show,
        "compaction": compaction.show,
        "plugin_calls": plugin_calls.show,
        "run_end": run_end.show,
        "chat": chat.show,
        "daemon": daemon.show,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(all_of_them)}; all if none is named")
    parser.add_argument("--rounds", type=int, default=5, help="how many turns each takes (default 5)")
    parser.add_argument("--save", action="store_true", help="also write the figures to README.md")
    asked = parser.parse_args()
    if strange := set(asked.names) - set(all_of_them):
        parser.error(f"There is no {', '.join(sorted(strange))}. Available: {', '.join(all_of_them)}.")
    failed = [name for name in asked.names or all_of_them if not run(name, all_of_them[name], asked)]
    sys.exit(f"Failed: {', '.join(failed)}." if failed else 0)


def run(name: str, show: Callable[[int], None], asked: argparse.Namespace) -> bool:
    """Show and save a benchmark's figures; return whether it completed."""
    from benchmarks import published

    started = monotonic()
    try:
        with redirect_stdout(io.StringIO()) as shown:
            show(asked.rounds)
    except Exception:  # the others are still worth their time
        print(shown.getvalue())
        traceback.print_exc()
        return False
    print(f"{shown.getvalue()}({name}: {monotonic() - started:.0f} s)\n", flush=True)
    if asked.save:
        published.save(name, shown.getvalue())
    return True


if __name__ == "__main__":
    main()
