"""Models in files: each kind has a format of its own, and the file says which it is."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from bough.errors import FormatError
from bough.models.format import loads, parsed
from bough.rules import RuleSet
from bough.rules.format import FORMAT as RULES
from bough.tree import Tree


def load(path: str | PathLike[str]) -> Tree | RuleSet:
    """Read the tree or the rules that `save` wrote. A file that is not right is refused; none of it is run.

    >>> import tempfile
    >>> from bough.example_models import tennis_rules, tennis_tree
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tennis_tree().save(f"{folder}/tree.json")
    ...     tennis_rules().save(f"{folder}/rules.json")
    ...     load(f"{folder}/tree.json"), load(f"{folder}/rules.json")
    (<Classification tree for PlayTennis: 5 leaves, depth 2, 14 cases>,
     <5 rules for PlayTennis from 14 cases, by vote>)
    """
    data = Path(path).read_bytes()
    try:
        document = parsed(data)
        if isinstance(document, dict) and document.get("format") == RULES:
            return RuleSet.from_json(document)
        return loads(data)
    except FormatError as error:
        error.add_note(f"The file is {str(path)!r}.")
        raise
