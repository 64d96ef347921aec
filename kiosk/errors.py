"""What can go wrong, and the exit code of each (sysexits.h).

KioskError
├── UsageError          2   the command line
├── InputError         65   a picture that cannot be read
├── ModelError         66   model or lexicon missing, or not what the manifest says
├── DisplayError       69   no display
├── InferenceError     70   a network that fails or answers nonsense
├── CameraError        75   a source that gives no frames
└── ConfigError        78   the configuration; holds every problem found
"""

from __future__ import annotations


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


class ConfigError(KioskError):
    """The configuration; `problems` holds one line each, in the order of the file."""

    exit_code = 78

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems
