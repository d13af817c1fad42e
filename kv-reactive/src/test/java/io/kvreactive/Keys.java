package io.kvreactive;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;

/** Generated keys, and a second definition of the order of keys that does not use bytes. */
public final class Keys {
  private Keys() {}

  /** Parts in the types of decoded keys, with a preference for values near a boundary. */
  public static Arbitrary<Object> parts() {
    return Arbitraries.oneOf(strings(), bytes(), bigints(), numbers(), Arbitraries.of(true, false))
        .map(part -> part);
  }

  public static Arbitrary<List<Object>> partLists() {
    return parts().list().ofMaxSize(5);
  }

  /** Keys that are often equal, adjacent, or prefixes of each other. */
  public static Arbitrary<KvKey> crowdedKeys() {
    Arbitrary<Object> part =
        Arbitraries.of(
            "",
            "a",
            "a\0",
            "a\0b",
            "b",
            0.0,
            1.0,
            BigInteger.ZERO,
            BigInteger.ONE,
            true,
            false,
            new byte[0],
            new byte[] {0},
            new byte[] {0, -1},
            new byte[] {-1});
    return part.list().ofMaxSize(3).map(KvKey::of);
  }

  private static Arbitrary<String> strings() {
    Arbitrary<String> wide =
        Arbitraries.strings().ofMaxLength(12).filter(s -> s.codePoints().noneMatch(Keys::lone));
    Arbitrary<String> narrow =
        Arbitraries.of("\0", "a", "b", "é", "\uFFFD", "\uFFFF", "\uD83D\uDE2E", "\uD800\uDC00")
            .list()
            .ofMaxSize(4)
            .map(chars -> String.join("", chars));
    return Arbitraries.oneOf(wide, narrow);
  }

  private static boolean lone(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }

  private static Arbitrary<byte[]> bytes() {
    return Arbitraries.oneOf(
            Arbitraries.bytes(), Arbitraries.of((byte) 0, (byte) 1, (byte) 2, (byte) -1))
        .array(byte[].class)
        .ofMaxSize(12);
  }

  private static Arbitrary<BigInteger> bigints() {
    Arbitrary<BigInteger> nearPowers =
        Arbitraries.integers()
            .between(0, 2040)
            .flatMap(
                bits ->
                    Arbitraries.of(-1, 0, 1)
                        .map(by -> BigInteger.ONE.shiftLeft(bits).add(BigInteger.valueOf(by))))
            .filter(n -> n.bitLength() <= 2040);
    Arbitrary<BigInteger> longs = Arbitraries.longs().map(BigInteger::valueOf);
    return Arbitraries.oneOf(nearPowers, nearPowers.map(BigInteger::negate), longs);
  }

  private static Arbitrary<Double> numbers() {
    return Arbitraries.oneOf(
        Arbitraries.longs().map(Double::longBitsToDouble).filter(d -> !d.isNaN()),
        Arbitraries.integers().map(Integer::doubleValue),
        Arbitraries.of(
            0.0,
            -0.0,
            Double.NaN,
            Double.longBitsToDouble(0xFFF8000000000000L),
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY,
            Double.MIN_VALUE,
            -Double.MAX_VALUE));
  }

  /** Compares part by part; a list is less than its continuations. */
  public static final Comparator<List<Object>> PART_WISE =
      (a, b) -> {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
          int byPart = comparePart(a.get(i), b.get(i));
          if (byPart != 0) {
            return byPart;
          }
        }
        return Integer.compare(a.size(), b.size());
      };

  private static int comparePart(Object a, Object b) {
    int byKind = Integer.compare(kind(a), kind(b));
    if (byKind != 0) {
      return byKind;
    }
    if (a instanceof byte[] x) {
      return Arrays.compareUnsigned(x, (byte[]) b);
    } else if (a instanceof String x) {
      return Arrays.compare(x.codePoints().toArray(), ((String) b).codePoints().toArray());
    } else if (a instanceof BigInteger x) {
      return x.compareTo((BigInteger) b);
    } else if (a instanceof Double x) {
      return compareNumber(x, (Double) b);
    } else {
      return ((Boolean) a).compareTo((Boolean) b);
    }
  }

  private static int compareNumber(double a, double b) {
    int byClass = Integer.compare(nanClass(a), nanClass(b));
    return byClass != 0 ? byClass : nanClass(a) != 0 ? 0 : Double.compare(a, b);
  }

  private static int nanClass(double d) {
    return !Double.isNaN(d) ? 0 : Double.doubleToRawLongBits(d) < 0 ? -1 : 1;
  }

  private static int kind(Object part) {
    return List.of(byte[].class, String.class, BigInteger.class, Double.class, Boolean.class)
        .indexOf(part.getClass());
  }
}
