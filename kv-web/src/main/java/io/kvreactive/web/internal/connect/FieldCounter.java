package io.kvreactive.web.internal.connect;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import java.io.IOException;

/**
 * Counts the fields of an encoded message without creating objects: two bytes on the wire can
 * become a hundred in memory. For one message.
 */
final class FieldCounter {
  /** Maximum number of fields, more than the largest commit that a store accepts by default. */
  private static final int MAX_FIELDS = 1 << 20;

  private final int maxElements;
  private int elements;
  private long fields;

  /**
   * Creates a counter.
   *
   * @param maxElements the maximum number of messages in the fields of the message itself
   */
  FieldCounter(int maxElements) {
    this.maxElements = maxElements;
  }

  /**
   * Checks that a message is not too large.
   *
   * @throws KvException LIMIT_EXCEEDED
   * @throws IOException if the bytes are not a message of the type
   */
  void count(byte[] message, Descriptor type) throws IOException {
    count(CodedInputStream.newInstance(message), type, true);
  }

  private void count(CodedInputStream in, Descriptor type, boolean top) throws IOException {
    int tag;
    while ((tag = in.readTag()) != 0) {
      boolean sized = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
      if (top && sized && ++elements > maxElements) {
        throw exceeded(type.getName() + " with more elements", maxElements);
      }
      add(1);
      FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      if (field == null || !sized) {
        skip(in, tag);
      } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        int outer = in.pushLimit(in.readRawVarint32());
        count(in, field.getMessageType(), false);
        in.checkLastTagWas(0);
        in.popLimit(outer);
      } else {
        int length = in.readRawVarint32();
        add(field.isPackable() ? length : 0);
        in.skipRawBytes(length);
      }
    }
  }

  private static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new InvalidProtocolBufferException("end of a group that was not started");
    }
  }

  private void add(int more) {
    fields += Math.max(0, more);
    if (fields > MAX_FIELDS) {
      throw exceeded("message with more fields", MAX_FIELDS);
    }
  }

  private static KvException exceeded(String what, int most) {
    return new KvException(
        KvErrorCode.LIMIT_EXCEEDED, what + " than allowed (expected: at most " + most + ")");
  }
}
