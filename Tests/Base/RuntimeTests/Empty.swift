// Tests of Runtime.
