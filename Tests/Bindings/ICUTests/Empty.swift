// Tests of ICU.
