// Tests of Curl.
