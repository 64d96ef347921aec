"""Words: what a synset is called and what the dictionary says of it. Knows no pixels."""
