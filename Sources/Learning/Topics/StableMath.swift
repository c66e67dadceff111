/// Exponential and logarithm by additions and multiplications in a fixed order alone, so that they give the same bits on
/// every machine: libm's differ between processors. Both are right to about 1e-15, relative.
public enum StableMath {
  /// e to the power of x.
  public static func exp(_ x: Double) -> Double {
    if x < -700 { return 0 }
    if x > 700 { return .infinity }
    let n = (x * 1.442_695_040_888_963_4).rounded(.toNearestOrEven)
    // ln 2 in two parts, so that n times the first is exact.
    let r = x - n * 6.931_471_803_691_238e-01 - n * 1.908_214_929_270_588e-10
    var sum = 1.0
    for k in stride(from: 13.0, through: 1, by: -1) { sum = 1 + sum * r / k }
    return Double(sign: .plus, exponent: Int(n), significand: 1) * sum
  }

  /// The natural logarithm of a positive number.
  public static func log(_ x: Double) -> Double {
    precondition(x > 0, "only a positive number has a logarithm")
    var exponent = Double(x.exponent)
    var significand = x.significand
    if significand > 1.414_213_562_373_095 {
      significand /= 2
      exponent += 1
    }
    // The series of the inverse hyperbolic tangent; its argument is below 0.172.
    let t = (significand - 1) / (significand + 1)
    let square = t * t
    var sum = 0.0
    for k in stride(from: 23.0, through: 1, by: -2) { sum = 1 / k + square * sum }
    return exponent * 0.693_147_180_559_945_3 + 2 * t * sum
  }
}
