// Real parts made small for tests: a clock that is turned by hand, a server of fixtures, stores in memory.
