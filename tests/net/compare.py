"""Compare the digests of two builds; exit 1 if they differ where `expected.py` does not say so.

python tests/net/compare.py old.json new.json [--part]
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from expected import EXPECTED, NEW

_SHOWN = 40
# A build that raises these does not refuse a case: the case asks for what it does not have.
_BROKEN = tuple(
    f"raised {name}"
    for name in ("TypeError", "AttributeError", "NameError", "LookupError", "ImportError", "KeyError")
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument(
        "--part", action="store_true", help="not all cases were fitted: expected ones may be left out"
    )
    parser.add_argument("--all", action="store_true", help="list every difference")
    asked = parser.parse_args()
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (asked.old, asked.new))
    without = [case for case, seen in old.items() if seen.get("fit") in _BROKEN and re.fullmatch(NEW, case)]
    print(f"{len(without)} cases of learners and parameters that the old build does not have")
    old, new = ({case: seen for case, seen in each.items() if case not in without} for each in (old, new))
    alone = sorted(old.keys() ^ new.keys())
    for case in alone:
        print(f"only in {asked.old if case in old else asked.new}: {case}")
    broken = [*broken_of("old", old), *broken_of("new", new)]
    print(*broken[:_SHOWN], sep="\n", end="\n" if broken else "")
    surprises, met = differences(old, new)
    show(surprises, old, new, None if asked.all else _SHOWN)
    unmet = [entry for entry in EXPECTED if entry not in met]
    for case, aspect, reason in unmet:
        print(f"expected but not seen: {case} | {aspect} ({reason})")
    for entry, n in met.items():
        print(f"expected: {n} differences of {entry[0]} | {entry[1]} ({entry[2]})")
    count_one_sided(old, new)
    shared = old.keys() & new.keys()
    n_same = sum(old[case].get(aspect) == value for case in shared for aspect, value in new[case].items())
    print(f"{len(shared)} cases, {n_same} aspects the same, {len(surprises)} differ unexpectedly")
    return int(bool(alone or broken or surprises or (unmet and not asked.part)))


def broken_of(side: str, build: dict[str, dict[str, str]]) -> Iterator[str]:
    """Say which aspects of a build raised what no refusal raises."""
    for case, aspects in build.items():
        for aspect, value in aspects.items():
            if value in _BROKEN:
                yield f"{side} build, {case}: {aspect} {value}"


def differences(
    old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]
) -> tuple[list[tuple[str, str]], Counter[tuple[str, str, str]]]:
    """Return the (case, aspect) pairs that differ unexpectedly, and how often each expected entry was met."""
    surprises, met = [], Counter[tuple[str, str, str]]()
    for case in sorted(old.keys() & new.keys()):
        for aspect in sorted(compared(old[case], new[case])):
            if old[case].get(aspect) == new[case].get(aspect):
                continue
            entries = [
                each for each in EXPECTED if re.fullmatch(each[0], case) and re.fullmatch(each[1], aspect)
            ]
            met.update(entries)
            if not entries:
                surprises.append((case, aspect))
    return surprises, met


def compared(old: dict[str, str], new: dict[str, str]) -> set[str]:
    """Return the aspects to compare: those of both builds, and whether the model could be fitted at all."""
    return (old.keys() & new.keys()) | ({"fit"} & (old.keys() | new.keys()))


def show(
    surprises: list[tuple[str, str]],
    old: dict[str, dict[str, str]],
    new: dict[str, dict[str, str]],
    most: int | None,
) -> None:
    """Print the differing cases with their aspects, and the exceptions where there are any."""
    by_case: dict[str, list[str]] = {}
    for case, aspect in surprises:
        said = [build[case].get(aspect, "fitted") for build in (old, new)]
        raised = any(each.startswith("raised") for each in said)
        words = [each if each.startswith(("raised", "fitted")) else "a value" for each in said]
        by_case.setdefault(case, []).append(f"{aspect} ({words[0]}, now {words[1]})" if raised else aspect)
    for case, aspects in list(by_case.items())[:most]:
        listed = aspects if most is None else aspects[:12]
        more = len(aspects) - len(listed)
        print(f"differs: {case}: {', '.join(listed)}{f' and {more} more' if more else ''}")
    if most is not None and len(by_case) > most:
        print(f"and {len(by_case) - most} more cases; --all lists them")
    if len(by_case) > 1:
        print(
            "by aspect:",
            ", ".join(f"{name} {n}" for name, n in Counter(a for _, a in surprises).most_common(25)),
        )


def count_one_sided(old: dict[str, dict[str, str]], new: dict[str, dict[str, str]]) -> None:
    """Print how many aspects only one of the builds has."""
    for side, here, there in (("old", old, new), ("new", new, old)):
        names = Counter(
            re.sub(r"\[\d+\]", "[i]", aspect)
            for case in here.keys() & there.keys()
            for aspect in here[case].keys() - there[case].keys() - {"fit"}
        )
        if names:
            most = ", ".join(f"{name} {n}" for name, n in names.most_common(15))
            print(f"only in the {side} build: {names.total()} aspects of {len(names)} names: {most}")


if __name__ == "__main__":
    sys.exit(main())
