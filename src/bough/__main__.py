"""The command line, as `python -m bough`."""

from bough.cli import main

if __name__ == "__main__":
    main()
