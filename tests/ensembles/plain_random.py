"""The random numbers of a tree of a forest and the sample it draws, in plain Python."""

import numpy as np

_STEP, _WORD = 0x9E3779B97F4A7C15, 2**64 - 1


def _mixed(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _WORD
    return z ^ (z >> 31)


class Stream:
    """SplitMix64 (Steele, Lea and Flood 2014), begun from a seed and the number of a stream."""

    def __init__(self, seed, number):
        self._state = _mixed((seed + _mixed((number + _STEP) & _WORD)) & _WORD)

    def next(self):
        """Return 64 random bits."""
        self._state = (self._state + _STEP) & _WORD
        return _mixed(self._state)

    def below(self, n):
        """Return a whole number below n."""
        return (self.next() >> 32) * n >> 32

    def uniform(self):
        """Return a number in [0, 1)."""
        return (self.next() >> 11) * 2.0**-53


def drawn_rows(sample, n_rows, seed, tree):
    """Return how often each row is in the bag of a tree: stratum by stratum from the tree's even stream."""
    count = np.zeros(n_rows, dtype=np.int64)
    if sample.draw == "all":
        return count + 1
    stratum = np.zeros(n_rows, dtype=int) if sample.stratum is None else sample.stratum
    stream = Stream(seed, 2 * tree)
    for number, wanted in enumerate(sample.size):
        rows = np.flatnonzero(stratum == number)
        if sample.draw == "with_replacement":
            for _ in range(wanted):
                count[rows[stream.below(len(rows))]] += 1
            continue
        for passed, row in enumerate(rows):
            if wanted > 0 and stream.uniform() * (len(rows) - passed) < wanted:
                count[row] = 1
                wanted -= 1
            if wanted == 0:
                break
    return count
