internal import MicroHTTP

/// Who the endpoint of a benchmark is: a certificate for 127.0.0.1 that signs itself, good for a hundred years, and its
/// key. Both are known to everybody and open nothing.
enum BenchmarkIdentity {
  static let tls = TLSIdentity(certificate: certificate, key: key)

  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBmDCCAT6gAwIBAgIUbiTnJovPv2c6pFjauYyzhj1YtdgwCgYIKoZIzj0EAwIw
    GDEWMBQGA1UEAwwNdGlkaW5ncyBiZW5jaDAgFw0yNjEyMDEwNTA3NTFaGA8yMTI2
    MTEwNzA1MDc1MVowGDEWMBQGA1UEAwwNdGlkaW5ncyBiZW5jaDBZMBMGByqGSM49
    AgEGCCqGSM49AwEHA0IABOzLHv/Sn52jRSkPP9qsi5nwYdLQsBSPUvko0WokZg2i
    l8TOtZt+P9NoaUVUadXNmpIC59byobjXLLrgdm2JQ9OjZDBiMB0GA1UdDgQWBBTc
    4GRMmVyoaofRzGQ/lYtVVVUivTAfBgNVHSMEGDAWgBTc4GRMmVyoaofRzGQ/lYtV
    VVUivTAPBgNVHRMBAf8EBTADAQH/MA8GA1UdEQQIMAaHBH8AAAEwCgYIKoZIzj0E
    AwIDSAAwRQIgSbBqQtad/wmbRK/AEFm+KWXAFxr7LnCHBllBrq3SrUUCIQDxfMmN
    ZkuZbwUdT4RJ6BSfPuT5+I88lDfyUo2+C8Zn2A==
    -----END CERTIFICATE-----

    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgdy3MMZ4ehBpMb7Rm
    ATJn5+AefINZahMS3AvW1MjZmcuhRANCAATsyx7/0p+do0UpDz/arIuZ8GHS0LAU
    j1L5KNFqJGYNopfEzrWbfj/TaGlFVGnVzZqSAufW8qG41yy64HZtiUPT
    -----END PRIVATE KEY-----

    """
}
