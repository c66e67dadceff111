// Tests of API.
