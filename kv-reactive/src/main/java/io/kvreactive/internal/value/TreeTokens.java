package io.kvreactive.internal.value;

import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsUndefined;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts a natural value to a stream of Jackson tokens. Values without a JSON token become
 * embedded objects. A bean can only take a tree, so shared parts are copied; the number of tokens
 * is bounded.
 */
final class TreeTokens {
  /** Maximum number of tokens of one value, holes included. */
  private static final int MAX_TOKENS = 1 << 18;

  private final TokenBuffer out = new TokenBuffer(null, false);
  private final boolean datesAsText;
  private int left = MAX_TOKENS;
  private int depth;

  private TreeTokens(boolean datesAsText) {
    this.datesAsText = datesAsText;
  }

  /**
   * Returns the tokens of a value.
   *
   * @param datesAsText true for JSON, which has no dates
   * @throws KvException UNREADABLE_VALUE if the value contains itself or has too many tokens
   */
  static TokenBuffer of(@Nullable Object value, boolean datesAsText) {
    TreeTokens tokens = new TreeTokens(datesAsText);
    try {
      tokens.write(value);
    } catch (IOException e) {
      throw unreadable(String.valueOf(e.getMessage()));
    }
    return tokens.out;
  }

  private static KvException unreadable(String what) {
    return new KvException(KvErrorCode.UNREADABLE_VALUE, "value: " + what);
  }

  private void take(long tokens) {
    if (tokens > left) {
      throw unreadable("unfolds to more than " + MAX_TOKENS + " parts; read it as Object.class");
    }
    left -= (int) tokens;
  }

  private void write(@Nullable Object value) throws IOException {
    take(1);
    if (value == null || value == JsUndefined.UNDEFINED || value == JsHole.HOLE) {
      out.writeNull();
    } else if (value instanceof String s) {
      out.writeString(s);
    } else if (value instanceof Integer n) {
      out.writeNumber(n);
    } else if (value instanceof Double n) {
      out.writeNumber(n);
    } else if (value instanceof Boolean b) {
      out.writeBoolean(b);
    } else if (value instanceof BigInteger n) {
      out.writeNumber(n);
    } else if (value instanceof JsBoxed boxed) {
      write(boxed.value());
    } else if (value instanceof JsDate date && (datesAsText || !date.isValid())) {
      writeDate(date);
    } else if (value instanceof Map<?, ?> map && hasNames(map)) {
      descend();
      writeObject(map);
      depth--;
    } else if (value instanceof Collection<?> list) {
      descend();
      writeArray(list);
      depth--;
    } else {
      out.writeEmbeddedObject(value);
    }
  }

  private void descend() {
    if (++depth > V8Tag.MAX_DEPTH) {
      throw unreadable("contains itself; read it as Object.class");
    }
  }

  /** Writes a date as JSON.stringify does: null if it is invalid. */
  private void writeDate(JsDate date) throws IOException {
    if (date.isValid()) {
      out.writeString(date.toString());
    } else {
      out.writeNull();
    }
  }

  private static boolean hasNames(Map<?, ?> map) {
    for (Object key : map.keySet()) {
      if (!(key instanceof String)) {
        return false;
      }
    }
    return true;
  }

  private void writeObject(Map<?, ?> map) throws IOException {
    out.writeStartObject();
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (entry.getValue() != JsUndefined.UNDEFINED) {
        out.writeFieldName((String) entry.getKey());
        write(entry.getValue());
      }
    }
    out.writeEndObject();
  }

  private void writeArray(Collection<?> list) throws IOException {
    if (list instanceof JsSparseArray array && array.length() > left) {
      take(array.length());
    }
    out.writeStartArray();
    for (Object element : list) {
      write(element);
    }
    out.writeEndArray();
  }
}
