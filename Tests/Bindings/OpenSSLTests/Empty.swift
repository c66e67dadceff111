// Tests of OpenSSL.
