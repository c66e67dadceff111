// Tests of Classify.
