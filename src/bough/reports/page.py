"""The HTML page of a report, with its style, script and facts, and a policy against network requests."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any

_SCRIPTS = (
    "draw.js",
    "charts.js",
    "tree.js",
    "details.js",
    "rules.js",
    "predict.js",
    "sections.js",
    "models.js",
    "main.js",
)


def page(facts: dict[str, Any], without_script: str) -> str:
    """Return the HTML page of the facts, in ASCII; `without_script` is shown where scripts are disabled.

    Names are embedded as JSON without "<", and the script inserts them as text, so they cannot be markup.

    >>> text = page({"title": "<script>alert(1)</script>"}, "")
    >>> "<script>alert" in text, text.isascii()
    (False, True)
    """
    style, script = _asset("report.css"), _script()
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}"
    policy += "; base-uri 'none'; form-action 'none'"
    text = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="bough">
<title>{html.escape(facts["title"])}</title>
<style>{style}</style>
</head>
<body>
<main id="page"></main>
<noscript>{without_script}</noscript>
<script type="application/json" id="facts">{safe_json(facts)}</script>
<script>{script}</script>
</body>
</html>
"""
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


def safe_json(value: Any) -> str:
    r"""Return JSON that can be embedded in HTML: ASCII without "<", ">" and "&".

    >>> safe_json({"name": "</script>&"})
    '{"name":"\\u003c/script\\u003e\\u0026"}'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return files("bough.reports").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    # The page is ASCII; JavaScript reads \uXXXX as the same character.
    parts = "\n".join(_asset(name) for name in _SCRIPTS).encode("ascii", "backslashreplace").decode()
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
