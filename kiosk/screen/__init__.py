"""The wall: where captions go and how they look. Knows neither network nor dictionary."""
