"""Fit every case with the bough of this interpreter, and write the digests of all that came of it.

python tests/net/fit.py --out old.json [--only REGEX] [--quick]
"""

import argparse
import json
import os
import re
import time
import warnings
from pathlib import Path
from typing import Any

from aspects import Aspects
from cases import all_cases

import bough


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.add_argument("--only", default="", help="regular expression that the id of a case must contain")
    parser.add_argument("--quick", action="store_true", help="every fifth case")
    parser.add_argument("--slow", type=int, default=0, help="print this many of the slowest cases")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = [case for case in all_cases()[:: 5 if asked.quick else 1] if re.search(asked.only, case.id)]
    found: dict[str, dict[str, str]] = {}
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    for case in cases:
        start = time.perf_counter()
        found[case.id] = outcome(case)
        seconds[case.id] = time.perf_counter() - start
    asked.out.write_text(json.dumps(found, indent=1, sort_keys=True), encoding="utf-8")
    n_aspects = sum(map(len, found.values()))
    took = time.perf_counter() - began
    print(f"{Path(str(bough.__file__)).parent}: {len(found)} cases, {n_aspects} aspects, {took:.0f} s")
    for name in sorted(seconds, key=seconds.__getitem__, reverse=True)[: asked.slow]:
        print(f"{seconds[name]:6.2f} s  {name}")


def outcome(case: Any) -> dict[str, str]:
    """Return the digests of a case; if it cannot be fitted, the type of the exception."""
    aspects = Aspects()
    try:
        case.run(aspects)
    except Exception as error:
        if os.environ.get("NET_RAISE"):
            raise
        aspects.found["fit"] = f"raised {type(error).__name__}"
    return aspects.found


if __name__ == "__main__":
    main()
