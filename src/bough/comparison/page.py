"""The HTML page of a comparison: a chart of the errors and a table."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bough.data.words import count_words, figure_words

if TYPE_CHECKING:
    from bough.comparison.comparison import Comparison

_STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:980px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .6rem;border-bottom:1px solid #8884;text-align:right}
th:first-child,td:first-child{text-align:left;overflow-wrap:anywhere}
svg{max-width:100%;height:auto}
p{color:#888}
"""


def comparison_page(comparison: Comparison) -> str:
    """Return the HTML page of a comparison.

    >>> from bough import compare, TreeClassifier
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> "<svg" in comparison_page(compare(X, y, {"<b>": TreeClassifier(max_depth=1)}, cv=4))
    True
    """
    title = f"{comparison.measure.capitalize()} of {len(comparison)} learners"
    about = (
        f"{count_words(comparison.n_rows, 'row')}, {comparison.n_folds}-fold cross-validation on the same "
        f"folds, computed in {comparison.seconds:.1f} s. Bars show ± 2 standard errors. p is the p-value of "
        "the corrected resampled t-test against the best learner."
    )
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body><main>'
        f"<h1>{html.escape(title)}</h1><p>{html.escape(about)}</p>{_picture(comparison)}"
        f"{table_html(comparison)}</main></body></html>"
    )


def table_html(comparison: Comparison) -> str:
    """Return the table of a comparison as an HTML fragment.

    >>> from bough import compare, TreeClassifier
    >>> X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    >>> "&lt;b&gt;" in table_html(compare(X, y, {"<b>": TreeClassifier(max_depth=1)}, cv=4))
    True
    """
    head = ("learner", comparison.measure, "± SE", "leaves", "depth", "seconds", "p against the best")
    cells = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in comparison._rows()
    )
    refused = "".join(
        f"<p>{html.escape(name)} was left out: {html.escape(why)}</p>"
        for name, why in comparison.refused.items()
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table>{refused}"


def _picture(comparison: Comparison) -> str:
    entries = comparison.entries
    low = min(entry.error - 2 * entry.standard_error for entry in entries)
    high = max(entry.error + 2 * entry.standard_error for entry in entries)
    width, left, step = 900, 250, 30
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return left + (value - low) / span * (width - left - 30)

    def parts() -> Iterator[str]:
        for line, entry in enumerate(entries):
            y = 20 + line * step
            name = html.escape(entry.name if len(entry.name) <= 34 else entry.name[:33] + "…")
            ends = x(entry.error - 2 * entry.standard_error), x(entry.error + 2 * entry.standard_error)
            yield f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{name}</text>'
            yield (
                f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="{y}" y2="{y}" stroke="#8888" '
                'stroke-width="5" stroke-linecap="round"/>'
            )
            yield f'<circle cx="{x(entry.error):.1f}" cy="{y}" r="6" fill="#3b6fb6"/>'
        bottom = 20 + len(entries) * step
        for share in range(5):
            value = low + span * share / 4
            words = figure_words(value, 3)
            attributes = f'x="{x(value):.1f}" y="{bottom + 6}" text-anchor="middle" opacity=".6"'
            yield f"<text {attributes}>{words}</text>"

    label = html.escape(f"{comparison.measure} of each learner")
    return (
        f'<svg viewBox="0 0 {width} {30 + (len(entries) + 1) * step}" role="img" aria-label="{label}" '
        f'font-size="14" fill="currentColor">{"".join(parts())}</svg>'
    )
