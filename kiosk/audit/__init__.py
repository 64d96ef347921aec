"""The piece audited by its own curators: a table of pictures in, errors by group out, aggregates only."""
