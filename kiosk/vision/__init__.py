"""Seeing: frames in, faces, tracks and guesses out. Knows synset ids and no words."""
