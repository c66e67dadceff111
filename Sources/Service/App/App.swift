// Puts the parts together and gives them a command line. Does no work of its own.
