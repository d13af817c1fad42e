package io.kvreactive.internal.value;

import io.kvreactive.value.JsArray;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsHostObject;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Natural values of every kind, with shared parts and cycles; each one is possible in JavaScript.
 */
public final class RandomValues {
  private static final String[] KEYS = {
    "a",
    "b",
    "",
    "0",
    "7",
    "01",
    "-1",
    "1.5",
    "2147483647",
    "2147483648",
    "4294967294",
    "4294967295",
    "99999999999",
    "__proto__",
    "$",
    "$map",
    "\u20ac",
    "\u00e9"
  };
  private static final double[] NUMBERS = {
    0.0,
    -0.0,
    1,
    -1.5,
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.MIN_VALUE,
    Double.MAX_VALUE,
    0x1p31,
    0x1p53
  };
  private static final int[] INTS = {
    0, 1, -1, 63, 64, -64, -65, Integer.MAX_VALUE, Integer.MIN_VALUE
  };

  private final Random random;
  private final List<Object> pool = new ArrayList<>();
  private final boolean plain;

  private RandomValues(long seed, boolean plain) {
    random = new Random(seed);
    this.plain = plain;
  }

  public static Object of(long seed) {
    return new RandomValues(seed, false).value(5);
  }

  /** Returns a tree without shared nodes, of types with a notation in JSON. */
  public static Object plainOf(long seed) {
    return new RandomValues(seed, true).value(5);
  }

  private Object value(int depth) {
    if (!pool.isEmpty() && random.nextInt(6) == 0) {
      return pool.get(random.nextInt(pool.size()));
    }
    int kind = depth <= 0 ? 9 : random.nextInt(12);
    return kind < 6 ? container(depth - 1) : kind < 9 ? object() : scalar();
  }

  private Object scalar() {
    return switch (random.nextInt(9)) {
      case 0 -> null;
      case 1 -> JsUndefined.UNDEFINED;
      case 2 -> random.nextBoolean();
      case 3 -> INTS[random.nextInt(INTS.length)];
      case 4 -> random.nextInt();
      case 5 -> number();
      case 6 -> bigInt();
      default -> string();
    };
  }

  private double number() {
    return NUMBERS[random.nextInt(NUMBERS.length)];
  }

  private BigInteger bigInt() {
    BigInteger magnitude = new BigInteger(random.nextInt(200), random);
    return random.nextBoolean() ? magnitude : magnitude.negate();
  }

  private String string() {
    StringBuilder s = new StringBuilder();
    boolean wide = random.nextInt(3) == 0;
    for (int n = random.nextInt(random.nextInt(10) == 0 ? 200 : 8); n > 0; n--) {
      s.append((char) random.nextInt(wide ? 0x10000 : 0x100));
    }
    return s.toString();
  }

  private <T> T pooled(T object) {
    if (!plain) {
      pool.add(object);
    }
    return object;
  }

  private Object object() {
    return switch (random.nextInt(plain ? 7 : 8)) {
      case 0 -> pooled(new JsDate(random.nextInt(4) == 0 ? Double.NaN : random.nextInt()));
      case 1 -> pooled(new JsRegExp("a[^b]{2,}\u20ac?", random.nextInt(16) | 128));
      case 2 -> pooled(boxed());
      case 3 -> pooled(buffer());
      case 4, 5 -> pooled(bytes());
      case 6 -> pooled(view());
      default -> pooled(domException());
    };
  }

  private JsBoxed boxed() {
    return new JsBoxed(
        switch (random.nextInt(4)) {
          case 0 -> random.nextBoolean();
          case 1 -> number();
          case 2 -> bigInt();
          default -> string();
        });
  }

  private byte[] bytes() {
    byte[] bytes = new byte[random.nextInt(4) * 8];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Returns an array, sometimes over the bytes of another array of the graph. */
  private JsArrayBuffer buffer() {
    if (!pool.isEmpty() && pool.get(random.nextInt(pool.size())) instanceof byte[] known) {
      return new JsArrayBuffer(known);
    }
    byte[] bytes = bytes();
    return plain || random.nextBoolean()
        ? new JsArrayBuffer(bytes)
        : JsArrayBuffer.resizable(bytes, bytes.length + random.nextInt(100));
  }

  private JsTypedArray view() {
    JsTypedArray.Kind kind =
        JsTypedArray.Kind.values()[random.nextInt(JsTypedArray.Kind.values().length)];
    JsArrayBuffer buffer =
        !pool.isEmpty() && pool.get(random.nextInt(pool.size())) instanceof JsArrayBuffer known
            ? known
            : buffer();
    if (plain) {
      return JsTypedArray.of(kind, buffer.bytes());
    }
    int slots = buffer.byteLength() / kind.elementSize();
    int skip = random.nextInt(slots + 1);
    if (buffer.isResizable() && random.nextBoolean()) {
      return JsTypedArray.tracking(kind, buffer, skip * kind.elementSize());
    }
    int length = random.nextInt(slots - skip + 1);
    return new JsTypedArray(kind, buffer, skip * kind.elementSize(), length * kind.elementSize());
  }

  private JsHostObject domException() {
    JsHostObject host = new JsHostObject("DOMException");
    host.properties().put("message", string());
    host.properties().put("name", "AbortError");
    host.properties().put("stack", "AbortError\n    at nowhere");
    return host;
  }

  private Object container(int depth) {
    int count = random.nextInt(5);
    switch (random.nextInt(8)) {
      case 0, 1 -> {
        return fill(pooled(new LinkedHashMap<>()), count, depth);
      }
      case 2 -> {
        JsArray array = pooled(new JsArray());
        for (int i = 0; i < count; i++) {
          array.add(random.nextInt(8) == 0 ? JsHole.HOLE : value(depth));
        }
        return array;
      }
      case 3 -> {
        JsArray array = pooled(new JsArray());
        array.add(value(depth));
        if (!plain) {
          array.properties().put("index", value(depth));
        }
        return array;
      }
      case 4 -> {
        JsSparseArray array = pooled(new JsSparseArray(plain ? 12 : 4294967295L));
        for (int i = 0; i < count; i++) {
          array.put(random.nextBoolean() ? i : array.length() - 1 - i, value(depth));
        }
        if (!plain && random.nextBoolean()) {
          array.properties().put("note", value(depth));
        }
        return array;
      }
      case 5 -> {
        JsMap map = pooled(new JsMap());
        for (int i = 0; i < count; i++) {
          map.put(value(depth), value(depth));
        }
        return map;
      }
      case 6 -> {
        JsSet set = pooled(new JsSet());
        for (int i = 0; i < count; i++) {
          set.add(value(depth));
        }
        return set;
      }
      default -> {
        return error(depth);
      }
    }
  }

  private Map<String, Object> fill(Map<String, Object> object, int count, int depth) {
    for (int i = 0; i < count; i++) {
      object.put(KEYS[random.nextInt(KEYS.length)], value(depth));
    }
    return object;
  }

  private JsError error(int depth) {
    JsError.Kind[] kinds = JsError.Kind.values();
    JsError error = pooled(new JsError(kinds[random.nextInt(kinds.length)]));
    if (random.nextBoolean()) {
      error.withMessage(string());
    }
    if (random.nextBoolean()) {
      error.withStack(string());
    }
    return random.nextBoolean() ? error.withCause(value(depth)) : error;
  }
}
