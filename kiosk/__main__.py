"""The entry point: the environment first, then everything else."""

from kiosk import environment

environment.apply()

from kiosk.cli import main  # noqa: E402  (the libraries that it imports read the environment when they load)

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
