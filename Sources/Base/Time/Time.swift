// Wall-clock time as a value, and the clock that tells it. Knows no zone but UTC.
