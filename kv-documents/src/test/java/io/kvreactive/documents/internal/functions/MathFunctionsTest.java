package io.kvreactive.documents.internal.functions;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.internal.value.Json;
import org.junit.jupiter.api.Test;

class MathFunctionsTest {
  @Test
  void roundsNumbers() {
    Table.check(
        """
        ABS(-1) -> 1
        ABS(0) -> 0
        CEILING(123.45) -> 124
        CEILING(-45.72) -> -45
        FLOOR(-45.72) -> -46
        FLOOR(1e300) -> 1e300
        ROUND(2.4) -> 2
        ROUND(2.5) -> 3
        ROUND(-2.5) -> -3
        ROUND(-2.4) -> -2
        ROUND(0.49999999999999994) -> 0
        ROUND(4503599627370497) -> 4503599627370497
        ROUND(NaN) -> NaN
        ROUND(Infinity) -> Infinity
        TRUNC(2.37) -> 2
        TRUNC(-2.78) -> -2
        TRUNC(0.0000714) -> 0
        SIGN(-2) -> -1
        SIGN(0) -> 0
        SIGN(0.5) -> 1
        """);
  }

  @Test
  void writesWholeResultsWithoutADecimalPoint() {
    assertThat(Json.writeText(Table.call("CEILING(123.45)"))).isEqualTo("124");
    assertThat(Json.writeText(Table.call("CEILING(-0.5)"))).isEqualTo("0");
    assertThat(Json.writeText(Table.call("SQRT(16.0)"))).isEqualTo("4");
    assertThat(Json.writeText(Table.call("SQRT(2)"))).isEqualTo("1.4142135623730951");
  }

  @Test
  void computesPowersAndLogarithms() {
    Table.check(
        """
        SQRT(4) -> 2
        SQRT(17) ~> 4.123105625617661
        SQRT(-1) -> NaN
        SQUARE(-3) -> 9
        POWER(2, 10) -> 1024
        POWER(2, -1) -> 0.5
        EXP(0) -> 1
        EXP(10) ~> 22026.465794806718
        EXP(1000) -> Infinity
        LOG(1) -> 0
        LOG(8, 2) ~> 3
        LOG(0) -> -Infinity
        LOG(-1) -> NaN
        LOG10(100) -> 2
        LOG10(5) ~> 0.6989700043360189
        """);
  }

  @Test
  void computesAngles() {
    Table.check(
        """
        PI() -> 3.141592653589793
        ACOS(-1) ~> 3.141592653589793
        ACOS(2) -> NaN
        ASIN(1) ~> 1.5707963267948966
        ATAN(1) ~> 0.7853981633974483
        ATN2(35.175643, 129.44) ~> 0.265344532064832
        COS(0) -> 1
        COT(124.1332) ~> -0.040311998371148884
        DEGREES(3.141592653589793) -> 180
        RADIANS(180) -> 3.141592653589793
        SIN(0) -> 0
        TAN(0) -> 0
        """);
  }

  @Test
  void computesBins() {
    Table.check(
        """
        NUMBERBIN(37.752) -> 37
        NUMBERBIN(37.752, 10) -> 30
        NUMBERBIN(37.752, 100) -> 0
        NUMBERBIN(-37.752, 10) -> -40
        NUMBERBIN(37.752, -100) -> 100
        NUMBERBIN(37.752, 0) -> undefined
        NUMBERBIN("1") -> undefined
        NUMBERBIN(1, null) -> undefined
        """);
  }

  @Test
  void returnsUndefinedForValuesThatAreNotNumbers() {
    String[] one =
        ("ABS ACOS ASIN ATAN CEILING COS COT DEGREES EXP FLOOR LOG LOG10 RADIANS ROUND SIGN SIN"
                + " SQRT SQUARE TAN TRUNC NUMBERBIN INTBITNOT")
            .split(" ");
    for (String name : one) {
      for (String value : new String[] {"undefined", "null", "true", "\"1\"", "[1]", "{}"}) {
        Table.check(name + "(" + value + ") -> undefined");
      }
    }
    String[] two =
        ("ATN2 POWER LOG NUMBERBIN INTADD INTSUB INTMUL INTDIV INTMOD INTBITAND INTBITOR"
                + " INTBITXOR INTBITLEFTSHIFT INTBITRIGHTSHIFT")
            .split(" ");
    for (String name : two) {
      for (String value : new String[] {"undefined", "null", "true", "\"1\"", "[1]", "{}"}) {
        Table.check(name + "(" + value + ", 1) -> undefined");
        Table.check(name + "(1, " + value + ") -> undefined");
      }
    }
  }

  @Test
  void takesRandomNumbersFromTheContext() {
    Table.check("RAND() -> 0.25");
  }

  @Test
  void computesWithIntegers() {
    Table.check(
        """
        INTADD(20, 10) -> 30
        INTADD(20, 0.10) -> undefined
        INTADD(20, 1.0) -> 21
        INTADD(9223372036854775806, 1) -> 9223372036854775807
        INTADD(9223372036854775807, 1) -> undefined
        INTADD(9223372036854775808, 0) -> undefined
        INTSUB(25, 50) -> -25
        INTSUB(-9223372036854775808, 1) -> undefined
        INTMUL(5, -3) -> -15
        INTMUL(4611686018427387904, 2) -> undefined
        INTDIV(10, 3) -> 3
        INTDIV(-10, 3) -> -3
        INTDIV(1, 0) -> undefined
        INTDIV(-9223372036854775808, -1) -> undefined
        INTMOD(12, 5) -> 2
        INTMOD(12, -5) -> 2
        INTMOD(-12, -5) -> -2
        INTMOD(12, 0) -> undefined
        INTMOD(12, 0.2) -> undefined
        INTBITAND(12, 10) -> 8
        INTBITOR(12, 10) -> 14
        INTBITXOR(12, 10) -> 6
        INTBITNOT(5) -> -6
        INTBITNOT(1.5) -> undefined
        INTBITLEFTSHIFT(1, 62) -> 4611686018427387904
        INTBITLEFTSHIFT(1, 64) -> undefined
        INTBITLEFTSHIFT(1, -1) -> undefined
        INTBITRIGHTSHIFT(-16, 2) -> -4
        """);
    assertThat(Table.call("INTADD(9007199254740992, 1)").longValue())
        .isEqualTo(9_007_199_254_740_993L);
  }
}
