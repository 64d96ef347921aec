"""The command line: which command, how it logs, and what its exit code is."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import signal
import sys
from collections.abc import Sequence

from kiosk import __version__
from kiosk.errors import INTERRUPTED, KioskError

COMMANDS = {
    "run": "show the piece",
    "annotate": "caption still pictures",
    "check": "is this configuration good?",
    "labels": "every category, its words, shown or withheld and why",
    "notice": "print the notice for the entrance",
    "kit": "write wall text, notice, staff card and hardware sheet for the venue",
    "prove": "nothing is stored: seal, try everything, print what the kernel refused",
    "doctor": "what of this machine is right, what is wrong and how to mend it",
    "audit": "whom does the piece fail, and how? Errors by group, on pictures of your own",
    "bench": "measure the speed of each part on this machine",
    "lexicon": "build the lexicon (done once, at set-up)",
}
EX_IOERR = 74


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code (see kiosk.errors)."""
    listing = "\n".join(f"  {name:10}{help_}" for name, help_ in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="kiosk",
        description="ImageNet Roulette: a camera installation that shows how a training set names people.",
        epilog=f"commands:\n{listing}\n\nkiosk COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    options = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    interrupt = _Interrupt()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a shell may have it ignored
        signal.signal(signal.SIGINT, interrupt)
    try:
        # A command's module is imported only now: `check` must not wait for the networks' libraries.
        command = importlib.import_module(f"kiosk.commands.{options.command}")
        own = argparse.ArgumentParser(prog=f"kiosk {options.command}", description=COMMANDS[options.command])
        command.configure(own)
        exit_code = int(command.run(own.parse_args(options.arguments)))
        sys.stdout.flush()  # here, where a pipe that nobody reads any more is no surprise
        return exit_code
    except KioskError as error:
        for line in str(error).splitlines():
            print(f"kiosk: {line}", file=sys.stderr)  # noqa: T201  (one plain line a problem, for a person)
        return error.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away: say nothing more, also not at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EX_IOERR
    except Exception:
        # What is being imported makes any error of Ctrl-C. A command that handles it itself has come farther,
        # and what ends that is hidden from nobody.
        if interrupt.came and signal.getsignal(signal.SIGINT) is interrupt:
            return INTERRUPTED
        raise


class _Interrupt:
    """Ctrl-C, remembered."""

    came = False

    def __call__(self, *_: object) -> None:
        """As a signal's handler."""
        self.came = True
        raise KeyboardInterrupt
