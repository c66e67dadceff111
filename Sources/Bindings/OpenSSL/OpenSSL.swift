// Holds OpenSSL: digests, signatures and random bytes. Never knows whose.
