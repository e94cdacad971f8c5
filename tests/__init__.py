"""The tests; a package, so that a package `tests` that another distribution installs does not hide them."""
