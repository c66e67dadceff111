// Tests of MicroHTTP.
