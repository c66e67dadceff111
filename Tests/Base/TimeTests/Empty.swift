// Tests of Time.
