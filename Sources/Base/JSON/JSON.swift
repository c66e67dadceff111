// Reads and writes JSON, keeping order, number spelling and places. Knows no other format.
