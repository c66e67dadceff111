// Holds uchardet: guesses the charset of bytes.
