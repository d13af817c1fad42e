package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.Base64Variant;
import com.fasterxml.jackson.core.ErrorReportConfiguration;
import com.fasterxml.jackson.core.JsonGenerationException;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.base.GeneratorBase;
import com.fasterxml.jackson.core.io.ContentReference;
import com.fasterxml.jackson.core.io.IOContext;
import com.fasterxml.jackson.core.util.BufferRecycler;
import io.kvreactive.value.JsSet;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Jackson generator that builds the natural value: maps, lists, sets, strings, and numbers in the
 * type in which they were written.
 */
final class TreeGenerator extends GeneratorBase {
  private final Deque<Object> open = new ArrayDeque<>();
  private final Deque<String> names = new ArrayDeque<>();
  private @Nullable Object root;

  TreeGenerator(ObjectCodec codec) {
    super(0, codec, context());
  }

  /** Returns a context, which Jackson requires, though nothing is buffered here. */
  private static IOContext context() {
    return new IOContext(
        StreamReadConstraints.defaults(),
        StreamWriteConstraints.defaults(),
        ErrorReportConfiguration.defaults(),
        new BufferRecycler(),
        ContentReference.unknown(),
        false);
  }

  @Nullable Object root() {
    return root;
  }

  @SuppressWarnings("unchecked") // all maps in this class have that type
  private void add(@Nullable Object value) {
    Object container = open.peek();
    if (container == null) {
      root = value;
    } else if (container instanceof Map<?, ?>) {
      ((Map<String, @Nullable Object>) container).put(names.pop(), value);
    } else {
      ((Collection<@Nullable Object>) container).add(value);
    }
  }

  private void open(Object container) throws JsonGenerationException {
    if (open.size() >= V8Tag.MAX_DEPTH) {
      throw new JsonGenerationException(
          "nests more than " + V8Tag.MAX_DEPTH + " deep, or contains itself", this);
    }
    add(container);
    open.push(container);
  }

  @Override
  public void writeStartObject() throws JsonGenerationException {
    open(new LinkedHashMap<String, @Nullable Object>());
  }

  @Override
  public void writeStartObject(Object forValue) throws JsonGenerationException {
    writeStartObject();
  }

  @Override
  public void writeStartObject(Object forValue, int size) throws JsonGenerationException {
    writeStartObject();
  }

  @Override
  public void writeEndObject() {
    open.pop();
  }

  @Override
  public void writeStartArray() throws JsonGenerationException {
    open(new ArrayList<@Nullable Object>());
  }

  /** A Java Set becomes a JavaScript Set, as everywhere. */
  @Override
  public void writeStartArray(Object forValue) throws JsonGenerationException {
    open(forValue instanceof Set ? new JsSet() : new ArrayList<@Nullable Object>());
  }

  @Override
  public void writeStartArray(Object forValue, int size) throws JsonGenerationException {
    writeStartArray(forValue);
  }

  @Override
  public void writeEndArray() {
    open.pop();
  }

  @Override
  public void writeFieldName(String name) {
    names.push(name);
  }

  @Override
  public void writeEmbeddedObject(@Nullable Object value) {
    add(value);
  }

  @Override
  public void writeString(@Nullable String text) {
    add(text);
  }

  @Override
  public void writeString(char[] buffer, int offset, int length) {
    add(new String(buffer, offset, length));
  }

  @Override
  public void writeBinary(Base64Variant variant, byte[] data, int offset, int length) {
    add(
        offset == 0 && length == data.length
            ? data
            : Arrays.copyOfRange(data, offset, offset + length));
  }

  @Override
  public void writeNumber(int value) {
    add(value);
  }

  @Override
  public void writeNumber(long value) {
    add(value);
  }

  @Override
  public void writeNumber(@Nullable BigInteger value) {
    add(value);
  }

  @Override
  public void writeNumber(double value) {
    add(value);
  }

  @Override
  public void writeNumber(float value) {
    add((double) value);
  }

  /** Kept unchanged, so that the encoder rejects it with its message. */
  @Override
  public void writeNumber(@Nullable BigDecimal value) {
    add(value);
  }

  @Override
  public void writeNumber(String text) {
    add(new BigDecimal(text));
  }

  @Override
  public void writeBoolean(boolean value) {
    add(value);
  }

  @Override
  public void writeNull() {
    add(null);
  }

  @Override
  public void writeRawUTF8String(byte[] buffer, int offset, int length) {
    throw raw();
  }

  @Override
  public void writeUTF8String(byte[] buffer, int offset, int length) {
    throw raw();
  }

  @Override
  public void writeRaw(String text) {
    throw raw();
  }

  @Override
  public void writeRaw(String text, int offset, int length) {
    throw raw();
  }

  @Override
  public void writeRaw(char[] text, int offset, int length) {
    throw raw();
  }

  @Override
  public void writeRaw(char c) {
    throw raw();
  }

  @Override
  public void writeRawValue(SerializableString text) {
    throw raw();
  }

  private static RuntimeException raw() {
    return V8Encoder.invalid("a serializer writes raw JSON, which is no JavaScript value");
  }

  @Override
  public void flush() {}

  @Override
  protected void _releaseBuffers() {}

  @Override
  protected void _verifyValueWrite(String what) {}
}
