package io.kvreactive.internal.value;

import io.kvreactive.KvException;
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
import io.kvreactive.value.JsTypedArray.Kind;
import io.kvreactive.value.JsUndefined;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a value in V8's structured-clone format, versions 0 to 16, to the natural Java types.
 * Bytes are not trusted: memory is bounded by a small multiple of the input, the depth by {@link
 * V8Tag#MAX_DEPTH}, and every defect is an UNREADABLE_VALUE with the offset.
 */
final class V8Decoder {
  private static final int FIRST_CAPACITY = 64;

  private final V8Input in;
  private @Nullable List<@Nullable Object> objects;
  private int depth;

  private V8Decoder(byte[] bytes) {
    in = new V8Input(bytes);
  }

  /**
   * Decodes a value. Bytes after it are ignored, as in V8.
   *
   * @throws KvException UNREADABLE_VALUE
   */
  static @Nullable Object decode(byte[] bytes) {
    V8Decoder decoder = new V8Decoder(bytes);
    try {
      return decoder.read();
    } catch (StackOverflowError e) {
      KvException unreadable =
          decoder.in.unreadable(
              "nests deeper than this thread's stack allows", decoder.in.position());
      unreadable.addSuppressed(e);
      throw unreadable;
    }
  }

  private @Nullable Object read() {
    return read(in.tag());
  }

  /**
   * Reads a value after its tag. Recursion uses this and one more method per level, because the
   * stack may be small.
   */
  private @Nullable Object read(int tag) {
    return switch (tag) {
      case V8Tag.OBJECT ->
          close(readProperties(open(new LinkedHashMap<>()), V8Tag.END_OBJECT, null));
      case V8Tag.DENSE_ARRAY -> readDenseArray();
      case V8Tag.SPARSE_ARRAY -> {
        JsSparseArray array = openSparseArray();
        readProperties(array.properties(), V8Tag.END_SPARSE_ARRAY, array);
        expectCount("elements", array.length());
        yield close(array);
      }
      case V8Tag.MAP -> readMap();
      case V8Tag.SET -> readSet();
      case V8Tag.ERROR -> readError();
      case V8Tag.HOST_OBJECT -> {
        JsHostObject host = openHostObject();
        readProperties(host.properties(), V8Tag.END_OBJECT, null);
        yield close(host);
      }
      default -> readLeaf(tag);
    };
  }

  /** Reads a value that cannot contain other objects. */
  private @Nullable Object readLeaf(int tag) {
    return switch (tag) {
      case V8Tag.ONE_BYTE_STRING -> in.oneByteString();
      case V8Tag.TWO_BYTE_STRING -> in.twoByteString();
      case V8Tag.UTF8_STRING -> in.utf8String();
      case V8Tag.INT32 -> in.int32();
      case V8Tag.UINT32 -> (double) in.uint32("uint32");
      case V8Tag.DOUBLE -> in.float64();
      case V8Tag.BIG_INT -> in.bigInt();
      case V8Tag.TRUE -> true;
      case V8Tag.FALSE -> false;
      case V8Tag.NULL -> null;
      case V8Tag.UNDEFINED -> JsUndefined.UNDEFINED;
      case V8Tag.REFERENCE -> readReference();
      case V8Tag.ARRAY_BUFFER, V8Tag.RESIZABLE_ARRAY_BUFFER -> readBuffer(tag);
      case V8Tag.DATE -> begin(new JsDate(in.float64()));
      case V8Tag.TRUE_OBJECT -> begin(new JsBoxed(true));
      case V8Tag.FALSE_OBJECT -> begin(new JsBoxed(false));
      case V8Tag.NUMBER_OBJECT -> begin(new JsBoxed(in.float64()));
      case V8Tag.BIG_INT_OBJECT -> begin(new JsBoxed(in.bigInt()));
      case V8Tag.STRING_OBJECT -> begin(new JsBoxed(readString()));
      case V8Tag.REG_EXP ->
          begin(new JsRegExp(readString(), (int) in.uint32("flags of a regular expression")));
      default ->
          throw in.unreadable(
              "tag 0x" + Integer.toHexString(tag) + " is unknown or cannot be stored",
              in.position() - 1);
    };
  }

  /** Starts an object that may contain others, and even itself. */
  private <T> T open(T object) {
    if (++depth > V8Tag.MAX_DEPTH) {
      throw in.unreadable("nests more than " + V8Tag.MAX_DEPTH + " deep", in.position() - 1);
    }
    return begin(object);
  }

  private <T> T close(T object) {
    depth--;
    return object;
  }

  private <T> T begin(T object) {
    List<@Nullable Object> started = objects;
    if (started == null) {
      started = new ArrayList<>();
      objects = started;
    }
    started.add(object);
    return object;
  }

  /** Reads a string inside an object; it has a tag except in old versions. */
  private String readString() {
    if (in.version() < 12) {
      return in.utf8String();
    }
    int start = in.position();
    if (readLeaf(in.tag()) instanceof String s) {
      return s;
    }
    throw in.unreadable("not a string", start);
  }

  /**
   * Reads properties up to the end tag, and their count.
   *
   * @param array the target of numbered properties, or null
   */
  private Map<String, @Nullable Object> readProperties(
      Map<String, @Nullable Object> properties, int endTag, @Nullable JsSparseArray array) {
    int count = 0;
    for (int tag = in.tag(); tag != endTag; tag = in.tag()) {
      Object key = readKey(tag);
      if (array != null && key instanceof Number n) {
        array.put(index(array, n), read());
      } else {
        properties.put(name(key), read());
      }
      count++;
    }
    if (count != properties.size() + (array == null ? 0 : array.elements().size())) {
      throw in.unreadable("duplicate property in an object", in.position() - 1);
    }
    expectCount("properties", count);
    return properties;
  }

  private Object readKey(int tag) {
    int start = in.position() - 1;
    Object key = readLeaf(tag);
    if (key instanceof String || (key instanceof Number && tag != V8Tag.BIG_INT)) {
      return key;
    }
    throw in.unreadable("not a property name", start);
  }

  private static String name(Object key) {
    return key instanceof Number n ? PropertyKeys.name(n.doubleValue()) : (String) key;
  }

  private long index(JsSparseArray array, Number key) {
    double index = key.doubleValue();
    if (index >= 0 && index < array.length() && index == Math.rint(index)) {
      return (long) index;
    }
    throw in.unreadable("array index " + index + " of " + array.length(), in.position() - 1);
  }

  private void expectCount(String what, long found) {
    int start = in.position();
    long count = in.varint();
    if (count != found) {
      throw in.unreadable(found + " " + what + " instead of " + count, start);
    }
  }

  private JsArray readDenseArray() {
    int length = in.length("array");
    JsArray array = open(new JsArray(Math.min(length, FIRST_CAPACITY)));
    for (int i = 0; i < length; i++) {
      int tag = in.tag();
      if (tag == V8Tag.HOLE || (tag == V8Tag.UNDEFINED && in.version() < 11)) {
        array.add(JsHole.HOLE);
      } else {
        array.add(read(tag));
      }
    }
    if (in.tookTag(V8Tag.END_DENSE_ARRAY)) {
      expectCount("properties", 0);
    } else {
      readProperties(array.properties(), V8Tag.END_DENSE_ARRAY, null);
    }
    expectCount("elements", length);
    return close(array);
  }

  private JsSparseArray openSparseArray() {
    return open(new JsSparseArray(in.uint32("array length")));
  }

  private JsMap readMap() {
    JsMap map = open(new JsMap());
    int count = 0;
    for (int tag = in.tag(); tag != V8Tag.END_MAP; tag = in.tag()) {
      Object key = read(tag);
      map.put(key, read());
      count += 2;
    }
    expectCount("keys and values", count);
    return close(map);
  }

  private JsSet readSet() {
    JsSet set = open(new JsSet());
    int count = 0;
    for (int tag = in.tag(); tag != V8Tag.END_SET; tag = in.tag()) {
      set.add(read(tag));
      count++;
    }
    expectCount("members", count);
    return close(set);
  }

  /** Reads an error. V8 writes message, stack, cause, each optional; accepted in any order. */
  private JsError readError() {
    int tag = in.octet();
    JsError.Kind kind = JsError.Kind.of(tag);
    if (kind != JsError.Kind.ERROR) {
      tag = in.octet();
    }
    JsError error = open(new JsError(kind));
    for (; tag != V8Tag.END_ERROR; tag = in.octet()) {
      switch (tag) {
        case V8Tag.ERROR_MESSAGE -> error.withMessage(readString());
        case V8Tag.ERROR_STACK -> error.withStack(readString());
        case V8Tag.ERROR_CAUSE -> error.withCause(read());
        default -> throw in.unreadable("unknown part of an error", in.position() - 1);
      }
    }
    return close(error);
  }

  private Object readReference() {
    int start = in.position();
    long id = in.varint();
    List<@Nullable Object> started = objects;
    Object object = started == null || id >= started.size() ? null : started.get((int) id);
    if (object == null) {
      throw in.unreadable("reference to object " + id + ", which does not exist", start);
    }
    return object instanceof JsArrayBuffer buffer && in.tookTag(V8Tag.VIEW)
        ? begin(readView(buffer))
        : object;
  }

  private Object readBuffer(int tag) {
    int length = in.length("array buffer");
    long max = tag == V8Tag.RESIZABLE_ARRAY_BUFFER ? in.varint() : -1;
    int start = in.position();
    if (length > in.remaining() || (max != -1 && max < length)) {
      throw in.unreadable("array buffer of " + length + " bytes, at most " + max, start);
    }
    byte[] bytes = in.raw(length);
    JsArrayBuffer buffer =
        begin(max == -1 ? new JsArrayBuffer(bytes) : JsArrayBuffer.resizable(bytes, max));
    if (!in.tookTag(V8Tag.VIEW)) {
      return buffer;
    }
    JsTypedArray view = readView(buffer);
    boolean plain =
        view.kind() == Kind.UINT8 && view.byteLength() == bytes.length && !buffer.isResizable();
    return begin(plain ? bytes : view);
  }

  private JsTypedArray readView(JsArrayBuffer buffer) {
    int start = in.position() - 1;
    Kind kind = Kind.of(in.varint());
    if (kind == null) {
      throw in.unreadable("view of unknown kind", start);
    }
    long offset = in.varint();
    long length = in.varint();
    int resizable = buffer.isResizable() ? V8Tag.VIEW_ON_RESIZABLE : 0;
    long flags = in.version() >= 14 ? in.varint() : resizable;
    boolean tracking = flags == (V8Tag.VIEW_ON_RESIZABLE | V8Tag.VIEW_LENGTH_TRACKING);
    if (offset > buffer.byteLength()
        || length > buffer.byteLength() - offset
        || offset % kind.elementSize() != 0
        || length % kind.elementSize() != 0
        || (flags & V8Tag.VIEW_ON_RESIZABLE) != resizable
        || (flags != resizable && !tracking)) {
      throw in.unreadable(
          kind
              + " view: offset "
              + offset
              + ", length "
              + length
              + ", flags "
              + flags
              + " on "
              + buffer,
          start);
    }
    return tracking
        ? JsTypedArray.tracking(kind, buffer, (int) offset)
        : new JsTypedArray(kind, buffer, (int) offset, (int) length);
  }

  private JsHostObject openHostObject() {
    int start = in.position();
    if (in.varint() != V8Tag.DENO_HOST_OBJECT || in.tag() != V8Tag.OBJECT) {
      throw in.unreadable(
          "host object of another embedder than Deno, or held by its process", start);
    }
    JsHostObject host = open(new JsHostObject());
    begin(host.properties());
    return host;
  }
}
