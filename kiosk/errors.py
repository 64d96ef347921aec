"""What can go wrong, and the exit code of each (sysexits.h).

KioskError
├── UsageError          2   the command line
├── InputError         65   a picture that cannot be read
├── ModelError         66   model or lexicon missing, or not what the manifest says
├── DisplayError       69   no display
├── InferenceError     70   a network that fails or answers nonsense
├── CameraError        75   a source that gives no frames
├── SealError          77   the right to store or to send could not be taken away
└── ConfigError        78   the configuration; holds every problem found
"""

from __future__ import annotations

LONGEST_LINE = 600
INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as a shell gives it."""


class KioskError(Exception):
    """One line that says what was wanted, what was found, and how to mend it. No pixels, no labels."""

    exit_code = 70


class UsageError(KioskError):
    """The command line."""

    exit_code = 2


class InputError(KioskError):
    """A picture that cannot be read."""

    exit_code = 65


class ModelError(KioskError):
    """Model or lexicon missing, or not what the manifest says."""

    exit_code = 66


class DisplayError(KioskError):
    """No display to draw on."""

    exit_code = 69


class InferenceError(KioskError):
    """A network that fails or answers nonsense."""

    exit_code = 70


class CameraError(KioskError):
    """A source that cannot be opened or gives no frames."""

    exit_code = 75


class SealError(KioskError):
    """The right to store or to send could not be taken away, so that no camera was opened."""

    exit_code = 77


class ConfigError(KioskError):
    """The configuration; `problems` holds one line each, in the order of the file."""

    exit_code = 78

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = tuple(_plain_line(problem) for problem in problems)
        super().__init__("\n".join(self.problems))


def _plain_line(problem: str) -> str:
    """What is quoted from a file may hold line ends and commands to the terminal, and may be a book."""
    line = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in problem
    )
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 100]} … {line[-97:]}"
