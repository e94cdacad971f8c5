"""A browser for tests of pages; they are skipped where there is none."""

import contextlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextlib.contextmanager
def launched() -> Iterator[Any]:
    """A headless browser; skips the test that asks for it where Playwright or Chromium is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: the Debian package is called chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Seen:
    """A page, and all that must not happen on it."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def check_quiet(self, path: Path) -> None:
        assert self.complaints == []
        assert self.dialogs == []
        assert self.requests == [path.as_uri()]


def opened(browser: Any, path: Path, **options: Any) -> Seen:
    """Open a page and wait until it is drawn."""
    seen = Seen(browser.new_page(viewport={"width": 1300, "height": 900}, **options))
    page = seen.page
    page.on("console", lambda said: seen.complaints.append(said.text) if said.type != "log" else None)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))

    def dismiss(dialog: Any) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(path.as_uri())
    if options.get("java_script_enabled", True):
        page.wait_for_selector("html[data-ready=yes]", timeout=20_000)
    return seen
