"""Make the screenshots of the README and of these pages: `python docs/_scripts/screenshots.py`.

It needs Playwright (`pip install ".[test]"`) and Chromium.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import bough

FIGURES = Path(__file__).parents[1] / "figures"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pages(folder: Path) -> dict[str, Path]:
    """Write the reports that are photographed."""
    penguins = bough.datasets.penguins()
    X, y = penguins.drop(columns=["species", "year"]), penguins["species"]
    tree = bough.TreeClassifier(max_depth=3, min_samples_leaf=5).fit(X, y)
    title = "Which penguin is it?"
    cells = load_breast_cancer(as_frame=True)
    tumour = cells.target.map({0: "malignant", 1: "benign"}).rename("tumour")
    means = cells.data.loc[:, cells.data.columns.str.startswith("mean")]
    X_train, X_test, y_train, y_test = train_test_split(means, tumour, random_state=0)
    costly = bough.CARTClassifier(loss_matrix={("malignant", "benign"): 10}).fit(X_train, y_train)
    forest = bough.RandomForestClassifier(200, random_state=0, oob_score=True).fit(X_train, y_train)
    made = {
        "report": bough.report(tree, X, y, title=title, n_draws=10),
        "report-costs": bough.report(costly, X_train, y_train, test=(X_test, y_test), n_draws=10),
        "report-forest": bough.report(forest, X_train, y_train, test=(X_test, y_test)),
    }
    return {name: page.save(folder / f"{name}.html") for name, page in made.items()}


def photograph(browser, name: str, path: Path, *, dark: bool = False, height: int = 820) -> None:
    """Save the top of a page as a picture."""
    page = browser.new_page(
        viewport={"width": 1160, "height": height}, color_scheme="dark" if dark else "light"
    )
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    page.screenshot(path=FIGURES / f"{name}.png")
    page.close()


def main() -> None:
    """Photograph the reports."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, path in pages(Path(folder)).items():
            photograph(browser, name, path, dark=name == "report-costs")
            print(FIGURES / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
