/// A certificate for localhost and 127.0.0.1 that signs itself, made for these tests and good for a hundred years. It
/// opens nothing.
public enum LoopbackCertificate {
  /// The certificate, PEM.
  public static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBnDCCAUGgAwIBAgIUYK6kcq4Kf9XAut3kHG07c4vOyK4wCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDIyNTM1NVoYDzIxMjYxMTA2
    MjI1MzU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQiF/gPS3J6vtpmizH2PU43o12VUARqG8XvrqwC7nkC872XMv++ZrLu
    h08laKR0Ixuorh1cx43ziXCdb9QtDbzzo28wbTAdBgNVHQ4EFgQUP6ZaKsRxv2dI
    oKfoExjNgY3VFHIwHwYDVR0jBBgwFoAUP6ZaKsRxv2dIoKfoExjNgY3VFHIwDwYD
    VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
    zj0EAwIDSQAwRgIhAJAnuDFdJUXcCTZNTdwx4OrtSOX4+kksknIqOC0uc7rRAiEA
    g/H3UeTIH0Exe7ohoDuTXBV7PQGsnbeDMxbCo/1UaxM=
    -----END CERTIFICATE-----

    """

  /// Its private key, PEM.
  public static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgljlrAdTSxe/bfHY8
    Eh0HWV7YBx+KaTn6L1MfMacFEiChRANCAAQiF/gPS3J6vtpmizH2PU43o12VUARq
    G8XvrqwC7nkC872XMv++ZrLuh08laKR0Ixuorh1cx43ziXCdb9QtDbzz
    -----END PRIVATE KEY-----

    """
}
