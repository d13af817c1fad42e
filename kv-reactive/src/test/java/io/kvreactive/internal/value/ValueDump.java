package io.kvreactive.internal.value;

import io.kvreactive.KvU64;
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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Returns the canonical text of a natural value, which {@code values.mjs} produces in JavaScript.
 */
final class ValueDump {
  private static final Map<JsTypedArray.Kind, String> VIEWS =
      Map.ofEntries(
          Map.entry(JsTypedArray.Kind.INT8, "Int8Array"),
          Map.entry(JsTypedArray.Kind.UINT8, "Uint8Array"),
          Map.entry(JsTypedArray.Kind.UINT8_CLAMPED, "Uint8ClampedArray"),
          Map.entry(JsTypedArray.Kind.INT16, "Int16Array"),
          Map.entry(JsTypedArray.Kind.UINT16, "Uint16Array"),
          Map.entry(JsTypedArray.Kind.INT32, "Int32Array"),
          Map.entry(JsTypedArray.Kind.UINT32, "Uint32Array"),
          Map.entry(JsTypedArray.Kind.FLOAT16, "Float16Array"),
          Map.entry(JsTypedArray.Kind.FLOAT32, "Float32Array"),
          Map.entry(JsTypedArray.Kind.FLOAT64, "Float64Array"),
          Map.entry(JsTypedArray.Kind.BIG_INT64, "BigInt64Array"),
          Map.entry(JsTypedArray.Kind.BIG_UINT64, "BigUint64Array"),
          Map.entry(JsTypedArray.Kind.DATA_VIEW, "DataView"));

  private final Map<Object, Integer> objects = new IdentityHashMap<>();
  private final Map<JsArrayBuffer, Integer> buffers = new HashMap<>();

  static String of(Object value) {
    return new ValueDump().walk(value);
  }

  private String walk(Object value) {
    if (value == null) {
      return "n";
    } else if (value == JsUndefined.UNDEFINED) {
      return "u";
    } else if (value instanceof Boolean b) {
      return b ? "t" : "f";
    } else if (value instanceof Integer || value instanceof Double) {
      return "N" + bits(((Number) value).doubleValue());
    } else if (value instanceof BigInteger) {
      return "Z" + value;
    } else if (value instanceof String s) {
      return text(s);
    } else if (value instanceof KvU64) {
      return "U" + value;
    } else if (value instanceof JsArrayBuffer buffer) {
      return numbered(buffers, buffer, () -> buffer(buffer));
    }
    return numbered(objects, value, () -> object(value));
  }

  private <T> String numbered(Map<T, Integer> known, T value, Supplier<String> show) {
    Integer id = known.get(value);
    if (id != null) {
      return "#" + id;
    }
    id = objects.size() + buffers.size();
    known.put(value, id);
    return "#" + id + "=" + show.get();
  }

  private static String buffer(JsArrayBuffer buffer) {
    return "B"
        + HexFormat.of().formatHex(buffer.bytes())
        + (buffer.isResizable() ? "/" + buffer.maxByteLength() : "");
  }

  private String object(Object value) {
    if (value instanceof JsMap map) {
      StringJoiner entries = new StringJoiner(",", "M[", "]");
      map.forEach((k, v) -> entries.add(walk(k) + ">" + walk(v)));
      return entries.toString();
    } else if (value instanceof JsSet set) {
      StringJoiner members = new StringJoiner(",", "S[", "]");
      set.forEach(member -> members.add(walk(member)));
      return members.toString();
    } else if (value instanceof Map<?, ?> map) {
      return "{" + names(map) + "}";
    } else if (value instanceof JsSparseArray array) {
      StringJoiner elements = new StringJoiner(",");
      array.elements().forEach((i, v) -> elements.add(i + ":" + walk(v)));
      return "A" + array.length() + "[" + elements + "|" + names(array.properties()) + "]";
    } else if (value instanceof List<?> list) {
      return list(list);
    } else if (value instanceof byte[] bytes) {
      return "VUint8Array(0," + bytes.length + "," + walk(new JsArrayBuffer(bytes)) + ")";
    } else if (value instanceof JsTypedArray view) {
      String place = view.byteOffset() + "," + view.byteLength() + "," + walk(view.buffer());
      return "V" + VIEWS.get(view.kind()) + "(" + place + ")";
    } else if (value instanceof JsDate date) {
      return "D" + bits(date.millis());
    } else if (value instanceof JsBoxed boxed) {
      return "O" + walk(boxed.value());
    } else if (value instanceof JsHostObject host) {
      return "H"
          + text((String) host.properties().get("name"))
          + text((String) host.properties().get("message"));
    } else if (value instanceof JsError error) {
      return "E"
          + error.kind().jsName()
          + (error.message() == null ? "-" : text(error.message()))
          + (error.stack() == null ? "-" : text(error.stack()))
          + (error.hasCause() ? walk(error.cause()) : "-");
    } else if (value instanceof JsRegExp pattern) {
      return "R" + text(pattern.source()) + flags(pattern.flags());
    }
    throw new AssertionError("not a natural value: " + value.getClass());
  }

  private String list(List<?> list) {
    StringJoiner elements = new StringJoiner(",");
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) != JsHole.HOLE) {
        elements.add(i + ":" + walk(list.get(i)));
      }
    }
    String names = list instanceof JsArray array ? names(array.properties()) : "";
    return "A" + list.size() + "[" + elements + "|" + names + "]";
  }

  private String names(Map<?, ?> map) {
    StringJoiner names = new StringJoiner(",");
    new TreeMap<Object, Object>(map).forEach((k, v) -> names.add(text((String) k) + ":" + walk(v)));
    return names.toString();
  }

  /** In the order of RegExp.prototype.flags. */
  private static String flags(int flags) {
    String order = "dgimsuvy";
    int[] bits = {128, 1, 2, 4, 32, 16, 256, 8};
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bits.length; i++) {
      if ((flags & bits[i]) != 0) {
        text.append(order.charAt(i));
      }
    }
    return text.toString();
  }

  private static String bits(double number) {
    return HexFormat.of().toHexDigits(Double.doubleToLongBits(number));
  }

  private static String text(String s) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : s.toCharArray()) {
      if (c >= 32 && c < 127 && c != '"' && c != '\\') {
        out.append(c);
      } else {
        out.append("\\u").append(HexFormat.of().toHexDigits(c));
      }
    }
    return out.append('"').toString();
  }
}
