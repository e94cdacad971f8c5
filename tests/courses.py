"""The small tables of the courses: online shop, play tennis, coloured shapes and mushrooms."""

import pandas as pd

_SHOP = [
    ("s", "several", 15, "yes"),
    ("s", "once", 10, "yes"),
    ("o", "several", 5, "yes"),
    ("a", "once", 15, "yes"),
    ("a", "once", 10, "no"),
    ("o", "once", 10, "no"),
    ("o", "once", 5, "no"),
    ("a", "once", 5, "no"),
]

_TENNIS = """
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
"""

_SHAPES = """
Red Square Big +
Blue Square Big +
Red Circle Big +
Red Circle Small -
Green Square Small -
Green Square Big -
"""

_MUSHROOMS = """
red small yes toxic
brown small no edible
brown large yes edible
green small no edible
red large no edible
"""


def shop() -> tuple[pd.DataFrame, pd.Series]:
    """Eight visitors of an online shop; referrers in the order s, a, o and buyers in the order yes, no."""
    frame = pd.DataFrame(_SHOP, columns=["referrer", "num.visits", "duration", "buyer"])
    frame["referrer"] = pd.Categorical(frame["referrer"], ["s", "a", "o"])
    frame["num.visits"] = pd.Categorical(frame["num.visits"], ["once", "several"])
    return frame.drop(columns="buyer"), pd.Series(pd.Categorical(frame["buyer"], ["yes", "no"]))


def tennis() -> tuple[pd.DataFrame, pd.Series]:
    """Fourteen days of play tennis (Quinlan 1986)."""
    return _read(_TENNIS, ["Outlook", "Temperature", "Humidity", "Wind"])


def shapes() -> tuple[pd.DataFrame, pd.Series]:
    """Six coloured shapes."""
    return _read(_SHAPES, ["Color", "Shape", "Size"])


def mushrooms() -> tuple[pd.DataFrame, pd.Series]:
    """Five mushrooms."""
    return _read(_MUSHROOMS, ["Color", "Size", "Points"])


def _read(text: str, names: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    frame = pd.DataFrame([line.split() for line in text.split("\n") if line], columns=[*names, "class"])
    return frame[names], frame["class"]
