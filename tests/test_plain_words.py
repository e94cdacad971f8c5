"""Docstrings and pages are written in the plain words of the field.

The words below once had a private meaning in this package, or are parts of riddles that stood for a plain
sentence. The second column says what to write instead.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted((ROOT / "src" / "bough").rglob("*.py"))
PRIVATE = {
    r"\btold\b": "given, recorded, said, distinguished",
    r"\bstakes?\b": "costs",
    r"\bspare[sd]?\b": "extra, saved",
    r"\bastray\b": "misclassified, routed to another branch",
    r"\bon (?:the|this|such) grounds?\b": "because of",
    r"\b(?:can|cannot|could|to) place\b|\bplaces (?:a|its|the) (?:row|split|value)": "route, choose",
    r"\bweighs? nothing\b": "has weight 0",
    r"\bas chance has it\b": "at random",
    r"\bseen to come\b": "observed",
    r"\bgo(?:es|ing)? with the most\b": "follow the majority",
    r"\bforg[eo]ts?\b|\bforgotten\b": "drop, ignore",
    r"\bleaves? no time\b": "until",
    r"\bhas a meaning\b": "is allowed, is defined",
    r"\bby those answered\b": "predicted",
    r"\bparts? (?:them|the values|the rows|ways)\b": "separates",
    r"\bin good company\b|\bneither fish nor\b|\bat the end of the day\b": "say what is meant",
}
LONGEST_SENTENCE = 75


def docstrings(path):
    """The docstrings of a module without their doctests, with the lines where they are."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node) or ""
            yield getattr(node, "lineno", 1), re.sub(r"^ *>>>.*?(?=\n\s*\n|\Z)", "", text, flags=re.M | re.S)


def prose(page):
    """A page without code, tables of numbers and addresses of links."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.sub(r"\]\([^)]*\)|`[^`]*`", "", text)


def private_words(text):
    return [
        (found.group(), better) for word, better in PRIVATE.items() if (found := re.search(word, text, re.I))
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_use_no_word_of_a_private_meaning(page):
    assert private_words(prose(page)) == []


def test_docstrings_use_no_word_of_a_private_meaning():
    found = {
        f"{path.relative_to(ROOT)}:{line}": words
        for path in MODULES
        for line, text in docstrings(path)
        if (words := private_words(text))
    }
    assert found == {}


def sentences(text):
    """The sentences of the paragraphs of a page; lists, tables, headings and definitions are left out."""
    for paragraph in re.split(r"\n\s*\n", text):
        if not re.match(r"\s*(?:[-*|#:>!<\[]|\d+\.|\*\*)", paragraph):
            yield from re.split(r"(?<=[.!?:;])\s+", " ".join(paragraph.split()))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_sentences_have_at_most_75_words(page):
    long = [each for each in sentences(prose(page)) if len(each.split()) > LONGEST_SENTENCE]
    assert long == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_begins_with_its_title(page):
    text = page.read_text(encoding="utf-8")
    assert re.match(r"# \S", text)
    assert len(re.findall(r"^# \S", prose(page), re.M)) == 1


def test_the_linter_finds_what_it_is_for():
    assert private_words("Forget what fewer of them told.")
    assert private_words("Rows that the split cannot place.")
    assert not private_words("Drop out-of-bag results computed from fewer trees.")
