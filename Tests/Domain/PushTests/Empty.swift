// Tests of Push.
