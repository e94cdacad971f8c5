"""Ways to look into a tree, and into the choices made while it grew."""
