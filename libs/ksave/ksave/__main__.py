"""The command line: `python -m ksave COMMAND FILE...`, also installed as `ksave`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from typing import Sequence

_COMMANDS = ("inspect", "verify", "diff", "rename", "strip", "convert", "edit")
_EPILOG = """\
exit codes:
  0  done; nothing is wrong; the files hold the same
  1  verify found something wrong, or diff found differences
  2  wrong use, or a file that cannot be read or written

No command runs anything that is in a file, and files are written whole or not at all.
'ksave COMMAND --help' has examples.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code.

    Args:
        arguments: without the name of the program; by default those of the process.

    Returns:
        0, 1 when `verify` or `diff` found something, or 2 when a file cannot be read or written.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # names may hold what the terminal cannot show
    options = _parser().parse_args(arguments)
    try:
        code = options.run(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing may be written at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError, TypeError, MemoryError, RecursionError, ImportError) as error:
        from ksave.commands.show import clean

        words = str(error) or type(error).__name__
        print("ksave: " + "\n".join(clean(line) for line in words.splitlines()), file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "ksave",
        description="Look into, check and change Keras files without a framework.",
        epilog=_EPILOG,
        formatter_class=layout,
    )
    from ksave import __version__

    parser.add_argument("--version", action="version", version=f"ksave {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in _COMMANDS:
        module = importlib.import_module(f"ksave.commands.{name}")
        command = commands.add_parser(
            name,
            help=module.HELP,
            description=f"{module.HELP.capitalize()}.",
            epilog=module.EXAMPLES,
            formatter_class=layout,
        )
        module.add(command)
        command.set_defaults(run=module.run)
    return parser


if __name__ == "__main__":
    sys.exit(main())
