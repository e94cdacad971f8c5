"""The code in the documentation runs, page by page, and prints what the page says it prints."""

import contextlib
import io
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def python_blocks(page: Path) -> list[tuple[str, str | None]]:
    """Each block of Python on a page with the output that follows it, None where none is shown."""
    text = page.read_text(encoding="utf-8")
    blocks: list[tuple[str, str | None]] = []
    end = 0
    for block in FENCED.finditer(text):
        language, body = block.groups()
        if language == "python":
            blocks.append((body, None))
        elif language == "text" and blocks and not text[end : block.start()].strip():
            blocks[-1] = (blocks[-1][0], body)
        end = block.end()
    return blocks


def unspaced(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


SLOW_PAGES = {"compare.md", "rule_ensembles.md", "stacking.md", "sums_of_trees.md"}
MARKED = [pytest.param(page, marks=pytest.mark.slow if page.name in SLOW_PAGES else ()) for page in PAGES]


@pytest.mark.parametrize("page", MARKED, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_python_on_the_page_runs_and_prints_what_is_shown(page, monkeypatch, tmp_path):
    # Files that a page writes are not left in the repository.
    monkeypatch.chdir(tmp_path)
    for folder in ("examples", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    names: dict[str, object] = {"__name__": "page"}
    for code, shown in python_blocks(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(page), "exec"), names)
        if shown is not None:
            assert unspaced(printed.getvalue()) == unspaced(shown)


def test_pages_are_found():
    assert sum(len(python_blocks(page)) for page in PAGES) > 10


def prose_of(page):
    """The page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


@cache
def words_of_code():
    """Every word of the package, the core and the tests."""
    folders, endings = ("src", "cpp", "tests"), ("*.py", "*.hpp", "*.cpp")
    files = [path for folder in folders for ending in endings for path in (ROOT / folder).rglob(ending)]
    return {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "howto").glob("add-*.md")), ids=lambda page: page.stem
)
def test_what_a_page_for_developers_names_is_there(page):
    own = "\n".join(block[2] for block in FENCED.finditer(page.read_text(encoding="utf-8")))
    known = words_of_code() | set(re.findall(r"\w+", own))
    named = re.findall(r"(Save this as )?`([^`\n]+)`", prose_of(page))
    assert len(named) > 20
    for is_new, name in named:
        if re.match(r"(src|cpp|tests|docs)/", name) and not is_new:
            assert (ROOT / name).exists(), name
        elif re.fullmatch(r"[\w.]+", name):
            assert set(name.split(".")) - {"py", "hpp", ""} <= known | {"level_test"}, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose_of(page)):
        assert (page.parent / target).exists(), target


DOCS = sorted(
    page.relative_to(ROOT / "docs").as_posix()
    for page in (ROOT / "docs").rglob("*.md")
    if not page.relative_to(ROOT / "docs").parts[0].startswith("_")
)


@pytest.mark.parametrize("page", [page for page in DOCS if page != "index.md"])
def test_every_page_is_in_the_index_and_in_the_menu(page):
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert f"]({page})" in index
    assert f": {page}\n" in menu


@pytest.mark.parametrize("word", ["shap", "Jupyter", "cost", "confidence", "lift"])
def test_what_readers_search_for_is_on_a_page(word):
    pages = [(ROOT / "docs" / page).read_text(encoding="utf-8").lower() for page in DOCS]
    assert any(re.search(rf"\b{word.lower()}", page) for page in pages)


def test_every_picture_of_the_docs_is_in_the_gallery():
    gallery = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    pictures = {path.name for path in (ROOT / "docs" / "figures").iterdir()}
    shown = {Path(target).name for target in re.findall(r"!\[[^]]*\]\(([^)]*)\)", gallery)}
    assert pictures - shown <= {"report-costs.png", "report-forest.png"}
    assert all((ROOT / "docs" / target).exists() for target in re.findall(r"\]\(([\w/.-]+)\)", gallery))
