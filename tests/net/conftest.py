"""pytest collects nothing here: the net is run by hand, with two builds. See README.md."""

collect_ignore_glob = ["*.py"]
