// Tests of Uchardet.
