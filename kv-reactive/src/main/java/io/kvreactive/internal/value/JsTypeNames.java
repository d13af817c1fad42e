package io.kvreactive.internal.value;

import io.kvreactive.KvU64;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsTypedArray;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;

/** Names of the JavaScript types of natural values, for messages. */
final class JsTypeNames {
  private static final int SHOWN = 40;

  private JsTypeNames() {}

  static String of(Object natural) {
    if (natural instanceof String s) {
      return "string \"" + (s.length() <= SHOWN ? s : s.substring(0, SHOWN) + "…") + '"';
    }
    if (natural instanceof BigInteger n) {
      return n.bitLength() < 128 ? "bigint " + n : "bigint of " + n.bitLength() + " bits";
    }
    if (natural instanceof Number || natural instanceof Boolean) {
      return (natural instanceof Number ? "number " : "boolean ") + natural;
    }
    if (natural instanceof JsMap) {
      return "Map";
    }
    if (natural instanceof Map<?, ?> object) {
      return "object of " + object.size() + (object.size() == 1 ? " property" : " properties");
    }
    if (natural instanceof JsSet) {
      return "Set";
    }
    if (natural instanceof List<?> array) {
      return "array of " + array.size();
    }
    if (natural instanceof byte[] bytes) {
      return "Uint8Array of " + bytes.length + " bytes";
    }
    if (natural instanceof KvU64 || natural instanceof JsError || natural instanceof JsBoxed) {
      return natural.getClass().getSimpleName() + " " + natural;
    }
    if (natural instanceof JsDate || natural instanceof JsRegExp) {
      return (natural instanceof JsDate ? "Date " : "RegExp ") + natural;
    }
    if (natural instanceof JsArrayBuffer || natural instanceof JsTypedArray) {
      return natural.toString();
    }
    return natural.getClass().getSimpleName();
  }
}
