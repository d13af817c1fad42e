package io.kvreactive.internal.value;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.value.JsArray;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsHostObject;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsTypedArray.Kind;
import io.kvreactive.value.JsUndefined;
import java.io.Serial;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Date;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a value in V8's structured-clone format, version 15. The Java type alone decides the
 * encoding of a scalar. Objects are numbered when they are started; a repeated object, by identity,
 * is written as a reference.
 *
 * <p>The bytes equal V8's, with one exception: V8 writes a string that fits Latin-1 with two bytes
 * per character if it happens to hold it that way.
 */
final class V8Encoder {
  private final V8Output out = new V8Output();
  private final BeanConverter beans;
  private @Nullable Identities objects;
  private @Nullable Identities buffers;
  private int nextId;
  private int depth;

  private V8Encoder(BeanConverter beans) {
    this.beans = beans;
  }

  /**
   * Encodes a value.
   *
   * @throws KvException INVALID_VALUE if a part of it has no structured-clone form, or it nests
   *     more than {@link V8Tag#MAX_DEPTH} deep
   */
  static byte[] encode(@Nullable Object value, BeanConverter beans) {
    V8Encoder encoder = new V8Encoder(beans);
    if (value == JsHole.HOLE) {
      throw invalid("a hole outside an array");
    }
    try {
      encoder.write(value);
    } catch (PartException e) {
      throw e.whole();
    } catch (StackOverflowError e) {
      throw new KvException(
          KvErrorCode.INVALID_VALUE, "value: nests deeper than this thread's stack allows", e);
    }
    return encoder.out.toBytes();
  }

  static KvException invalid(String what) {
    return new KvException(KvErrorCode.INVALID_VALUE, "value: " + what);
  }

  /** An exception for a part of a value, which collects the path to the part. */
  private static final class PartException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;
    private static final String VALUE = "value";

    private final transient Deque<Object> path = new ArrayDeque<>();
    private final KvException reason;

    private PartException(KvException reason) {
      super(reason.getMessage(), reason, false, false);
      this.reason = reason;
    }

    /**
     * Returns the exception of a container.
     *
     * @param step the name or the index of the part in the container
     * @param e the exception of the part
     */
    static PartException at(Object step, RuntimeException e) {
      PartException part = e instanceof PartException p ? p : new PartException((KvException) e);
      part.path.addFirst(step);
      return part;
    }

    KvException whole() {
      String detail = reason.detail();
      return new KvException(
          reason.code(),
          "value at "
              + JsonSyntax.pointer(path)
              + (detail.startsWith(VALUE) ? detail.substring(VALUE.length()) : ": " + detail),
          reason);
    }
  }

  /**
   * Returns the exception for a part of a bean.
   *
   * @param path the names and indexes from the bean to the part; empty for the bean itself
   * @param reason the exception of the part
   */
  static RuntimeException invalid(List<Object> path, KvException reason) {
    RuntimeException part = reason;
    for (int i = path.size() - 1; i >= 0; i--) {
      part = PartException.at(path.get(i), part);
    }
    return part;
  }

  private void write(@Nullable Object value) {
    if (value == null) {
      out.tag(V8Tag.NULL);
    } else if (!writeScalar(value) && !writeReference(value)) {
      if (++depth > V8Tag.MAX_DEPTH && contains(value)) {
        throw invalid("nests more than " + V8Tag.MAX_DEPTH + " deep, or contains itself in a bean");
      }
      // All recursion starts here, with few locals: the stack may be small.
      if (value instanceof JsMap map) {
        writeMap(map);
      } else if (value instanceof Map<?, ?> object) {
        begin(value, V8Tag.OBJECT);
        endProperties(V8Tag.END_OBJECT, writeProperties(object));
      } else if (value instanceof JsSparseArray array) {
        writeSparseArray(array);
      } else if (value instanceof Set<?> set) {
        writeSet(set);
      } else if (value instanceof Collection<?> list) {
        writeList(list);
      } else if (value instanceof Object[]) {
        writeArray(value);
      } else if (value instanceof JsError error) {
        writeError(error);
      } else if (value instanceof JsHostObject host) {
        writeHostObject(host);
      } else if (!writeLeaf(value)) {
        writeBean(value);
      }
      depth--;
    }
  }

  private boolean writeScalar(Object value) {
    if (value instanceof String s) {
      out.string(s);
    } else if (value instanceof Number n) {
      return writeNumber(n);
    } else if (value instanceof Boolean b) {
      out.tag(b ? V8Tag.TRUE : V8Tag.FALSE);
    } else if (value instanceof JsUndefined) {
      out.tag(V8Tag.UNDEFINED);
    } else if (value instanceof CharSequence || value instanceof Character) {
      out.string(value.toString());
    } else if (value instanceof Instant i) {
      nextId++;
      out.tag(V8Tag.DATE);
      out.float64(millis(i));
    } else if (value instanceof JsHole) {
      throw invalid("a hole outside an array");
    } else {
      return false;
    }
    return true;
  }

  private boolean writeNumber(Number value) {
    if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
      out.int32(value.intValue());
    } else if (value instanceof Double || value instanceof Float) {
      out.number(value.doubleValue());
    } else if (value instanceof Long) {
      out.tag(V8Tag.BIG_INT);
      out.bigInt(value.longValue());
    } else if (value instanceof BigInteger n) {
      out.tag(V8Tag.BIG_INT);
      out.bigInt(n);
    } else if (value instanceof BigDecimal) {
      throw invalid(
          "BigDecimal "
              + value
              + " has no JavaScript form: store doubleValue(), toString(), or an unscaled"
              + " BigInteger");
    } else {
      return false;
    }
    return true;
  }

  /**
   * Writes a reference to an object that was started before; or a buffer, identified by its bytes.
   */
  private boolean writeReference(Object value) {
    if (value instanceof JsArrayBuffer buffer) {
      writeBuffer(buffer);
      return true;
    }
    int id = objects == null ? Identities.NONE : objects.get(value);
    if (id == Identities.NONE) {
      return false;
    }
    reference(id);
    return true;
  }

  /** Writes an object that contains no others; returns false for any other object. */
  private boolean writeLeaf(Object value) {
    if (value instanceof byte[] bytes) {
      writeView(bytes, new JsArrayBuffer(bytes), Kind.UINT8, 0, bytes.length, 0);
    } else if (value instanceof JsTypedArray view) {
      writeTypedArray(view);
    } else if (value instanceof JsDate date) {
      begin(value, V8Tag.DATE);
      out.float64(date.millis());
    } else if (value instanceof Date date) {
      begin(value, V8Tag.DATE);
      out.float64(millis(date));
    } else if (value instanceof JsBoxed boxed) {
      writeBoxed(boxed);
    } else if (value instanceof JsRegExp pattern) {
      begin(value, V8Tag.REG_EXP);
      out.string(pattern.source());
      out.varint(pattern.flags() & 0xFFFF_FFFFL);
    } else if (value.getClass().isArray()) {
      writeArray(value);
    } else {
      return false;
    }
    return true;
  }

  private static boolean contains(Object value) {
    return value instanceof Map
        || value instanceof Collection
        || value instanceof Object[]
        || value instanceof JsError
        || value instanceof JsHostObject;
  }

  /** Numbers the object and writes its tag. */
  private void begin(Object value, int tag) {
    known().put(value, nextId++);
    out.tag(tag);
  }

  private Identities known() {
    Identities known = objects;
    if (known == null) {
      known = new Identities();
      objects = known;
    }
    return known;
  }

  private void reference(int id) {
    out.tag(V8Tag.REFERENCE);
    out.varint(id);
  }

  private int writeProperties(Map<?, ?> map) {
    int count = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!(entry.getKey() instanceof String name)) {
        throw invalid(
            "map key of type "
                + (entry.getKey() == null ? "null" : entry.getKey().getClass().getName())
                + " (expected: String; a JsMap has keys of any type)");
      }
      PropertyKeys.write(out, name);
      try {
        write(entry.getValue());
      } catch (KvException | PartException e) {
        throw PartException.at(name, e);
      }
      count++;
    }
    return count;
  }

  private void endProperties(int tag, int count) {
    out.tag(tag);
    out.varint(count);
  }

  private void writeMap(JsMap map) {
    begin(map, V8Tag.MAP);
    int count = 0;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      try {
        write(entry.getKey());
        write(entry.getValue());
      } catch (KvException | PartException e) {
        throw PartException.at(String.valueOf(entry.getKey()), e);
      }
      count += 2;
    }
    endProperties(V8Tag.END_MAP, count);
  }

  private void writeHostObject(JsHostObject host) {
    begin(host, V8Tag.HOST_OBJECT);
    out.varint(V8Tag.DENO_HOST_OBJECT);
    begin(host.properties(), V8Tag.OBJECT);
    endProperties(V8Tag.END_OBJECT, writeProperties(host.properties()));
  }

  private void writeSet(Set<?> set) {
    begin(set, V8Tag.SET);
    int count = 0;
    for (Object member : set) {
      try {
        write(member);
      } catch (KvException | PartException e) {
        throw PartException.at(count, e);
      }
      count++;
    }
    endProperties(V8Tag.END_SET, count);
  }

  private void writeList(Collection<?> list) {
    begin(list, V8Tag.DENSE_ARRAY);
    int length = list.size();
    out.varint(length);
    int count = 0;
    for (Object element : list) {
      if (element == JsHole.HOLE) {
        out.tag(V8Tag.HOLE);
      } else {
        try {
          write(element);
        } catch (KvException | PartException e) {
          throw PartException.at(count, e);
        }
      }
      count++;
    }
    if (count != length) {
      throw invalid("a list changed while it was encoded");
    }
    int properties =
        list instanceof JsArray array && array.hasProperties()
            ? writeProperties(array.properties())
            : 0;
    endProperties(V8Tag.END_DENSE_ARRAY, properties);
    out.varint(length);
  }

  private void writeArray(Object array) {
    begin(array, V8Tag.DENSE_ARRAY);
    int length = Array.getLength(array);
    out.varint(length);
    for (int i = 0; i < length; i++) {
      try {
        write(Array.get(array, i));
      } catch (KvException | PartException e) {
        throw PartException.at(i, e);
      }
    }
    endProperties(V8Tag.END_DENSE_ARRAY, 0);
    out.varint(length);
  }

  private void writeSparseArray(JsSparseArray array) {
    begin(array, V8Tag.SPARSE_ARRAY);
    out.varint(array.length());
    int count = 0;
    for (Map.Entry<Long, @Nullable Object> entry : array.elements().entrySet()) {
      PropertyKeys.writeIndex(out, entry.getKey());
      try {
        write(entry.getValue());
      } catch (KvException | PartException e) {
        throw PartException.at(entry.getKey(), e);
      }
      count++;
    }
    endProperties(V8Tag.END_SPARSE_ARRAY, count + writeProperties(array.properties()));
    out.varint(array.length());
  }

  private void writeBuffer(JsArrayBuffer buffer) {
    Identities known = buffers;
    if (known == null) {
      known = new Identities();
      buffers = known;
    }
    int id = known.get(buffer.bytes());
    if (id != Identities.NONE) {
      reference(id);
      return;
    }
    known.put(buffer.bytes(), nextId++);
    out.tag(buffer.isResizable() ? V8Tag.RESIZABLE_ARRAY_BUFFER : V8Tag.ARRAY_BUFFER);
    out.varint(buffer.byteLength());
    if (buffer.isResizable()) {
      out.varint(buffer.maxByteLength());
    }
    out.raw(buffer.bytes());
  }

  private void writeTypedArray(JsTypedArray view) {
    int flags = view.buffer().isResizable() ? V8Tag.VIEW_ON_RESIZABLE : 0;
    int length = view.byteLength();
    if (view.isLengthTracking()) {
      flags |= V8Tag.VIEW_LENGTH_TRACKING;
      length = 0;
    }
    writeView(view, view.buffer(), view.kind(), view.byteOffset(), length, flags);
  }

  /** Writes a view. The buffer is written and numbered first. */
  private void writeView(
      Object view, JsArrayBuffer buffer, Kind kind, int offset, int length, int flags) {
    writeBuffer(buffer);
    begin(view, V8Tag.VIEW);
    out.varint(kind.code());
    out.varint(offset);
    out.varint(length);
    out.varint(flags);
  }

  private void writeBoxed(JsBoxed boxed) {
    Object value = boxed.value();
    if (value instanceof Boolean b) {
      begin(boxed, b ? V8Tag.TRUE_OBJECT : V8Tag.FALSE_OBJECT);
    } else if (value instanceof BigInteger n) {
      begin(boxed, V8Tag.BIG_INT_OBJECT);
      out.bigInt(n);
    } else if (value instanceof String s) {
      begin(boxed, V8Tag.STRING_OBJECT);
      out.string(s);
    } else {
      begin(boxed, V8Tag.NUMBER_OBJECT);
      out.float64(((Number) value).doubleValue());
    }
  }

  private void writeError(JsError error) {
    begin(error, V8Tag.ERROR);
    if (error.kind().code() != 0) {
      out.tag(error.kind().code());
    }
    if (error.message() != null) {
      out.tag(V8Tag.ERROR_MESSAGE);
      out.string(error.message());
    }
    if (error.stack() != null) {
      out.tag(V8Tag.ERROR_STACK);
      out.string(error.stack());
    }
    if (error.hasCause()) {
      out.tag(V8Tag.ERROR_CAUSE);
      write(error.cause());
    }
    out.tag(V8Tag.END_ERROR);
  }

  /**
   * Writes a bean. If it becomes an object or an array, it takes the number of that; scalars have
   * none.
   */
  private void writeBean(Object bean) {
    int id = nextId;
    Object tree = beans.treeOf(bean);
    depth--;
    write(tree);
    depth++;
    if (tree instanceof Map || tree instanceof Collection) {
      known().put(bean, id);
    }
  }

  @SuppressWarnings("JavaUtilDate") // supported for older programs
  private static double millis(Date date) {
    return (double) date.getTime();
  }

  private static double millis(Instant instant) {
    try {
      return JsDate.of(instant).millis();
    } catch (DateTimeException e) {
      throw new KvException(KvErrorCode.INVALID_VALUE, "value: " + e.getMessage(), e);
    }
  }

  /** Converts an object that the encoder does not know to one that it knows. */
  @FunctionalInterface
  interface BeanConverter {
    /**
     * Returns the same content as maps, lists and scalars.
     *
     * @throws io.kvreactive.KvException INVALID_VALUE if the object has no such form
     */
    @org.jspecify.annotations.Nullable Object treeOf(Object bean);
  }
}
