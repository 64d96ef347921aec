"""ImageNet Roulette kiosk: a camera installation that shows how a training set names people."""

__version__ = "0.1.0"
