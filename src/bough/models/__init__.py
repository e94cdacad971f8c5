"""Models: what they have in common, and the file format they are saved in."""
