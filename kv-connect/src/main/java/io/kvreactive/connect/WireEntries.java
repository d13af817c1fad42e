package io.kvreactive.connect;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.ValueEncoding;
import io.kvreactive.spi.StoredEntry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Converts keys, values, versionstamps and entries between messages of the protocol and the engine.
 */
public final class WireEntries {
  private static final int VERSIONSTAMP_SIZE =
      CodedOutputStream.computeByteArraySize(
          KvEntry.VERSIONSTAMP_FIELD_NUMBER, Versionstamp.ZERO.toBytes());

  private WireEntries() {}

  /** Wraps bytes without copying them; they must not be changed afterwards. */
  public static ByteString bytes(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }

  /** Converts a versionstamp to ten bytes. */
  public static ByteString versionstamp(Versionstamp versionstamp) {
    return bytes(versionstamp.toBytes());
  }

  /**
   * Converts ten bytes to a versionstamp.
   *
   * @throws KvException INVALID_VERSIONSTAMP
   */
  public static Versionstamp versionstamp(ByteString bytes) {
    return Versionstamp.of(bytes.toByteArray());
  }

  /** Converts a versionstamp, where no bytes stand for an absent key. */
  public static @Nullable Versionstamp versionstampIfAny(ByteString bytes) {
    return bytes.isEmpty() ? null : versionstamp(bytes);
  }

  public static io.kvreactive.connect.wire.KvValue value(KvValue value) {
    return io.kvreactive.connect.wire.KvValue.newBuilder()
        .setData(bytes(value.bytes()))
        .setEncoding(encoding(value))
        .build();
  }

  /**
   * Converts a value.
   *
   * @throws KvException INVALID_VALUE for an unknown encoding, and for an LE64 value that does not
   *     have 8 bytes
   */
  public static KvValue value(io.kvreactive.connect.wire.KvValue value) {
    return value(value.getEncodingValue(), value.getData());
  }

  private static KvValue value(int encoding, ByteString data) {
    return new KvValue(KvValue.Encoding.of(encoding), data.toByteArray());
  }

  private static ValueEncoding encoding(KvValue value) {
    return switch (value.encoding()) {
      case V8 -> ValueEncoding.VE_V8;
      case LE64 -> ValueEncoding.VE_LE64;
      case BYTES -> ValueEncoding.VE_BYTES;
    };
  }

  /**
   * Converts an entry that was read with its value.
   *
   * @param withExpiry true if the message has the expiry, which the protocol lacks
   * @throws KvException INVALID_ARGUMENT if only keys were read
   */
  public static KvEntry entry(StoredEntry entry, boolean withExpiry) {
    KvValue value = valueOf(entry);
    return KvEntry.newBuilder()
        .setKey(bytes(entry.key()))
        .setValue(bytes(value.bytes()))
        .setEncoding(encoding(value))
        .setVersionstamp(versionstamp(entry.versionstamp()))
        .setExpireAtMs(withExpiry ? entry.expireAt() : 0)
        .build();
  }

  private static KvValue valueOf(StoredEntry entry) {
    KvValue value = entry.value();
    if (value == null) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "entry without its value (expected: an entry with its value)");
    }
    return value;
  }

  /**
   * Returns the number of bytes that {@link #write} writes.
   *
   * @throws KvException INVALID_ARGUMENT if only keys were read
   */
  public static int size(StoredEntry entry, boolean withExpiry) {
    KvValue value = valueOf(entry);
    return size(KvEntry.KEY_FIELD_NUMBER, entry.key())
        + size(KvEntry.VALUE_FIELD_NUMBER, value.bytes())
        + CodedOutputStream.computeEnumSize(
            KvEntry.ENCODING_FIELD_NUMBER, encoding(value).getNumber())
        + VERSIONSTAMP_SIZE
        + (withExpiry && entry.expireAt() != 0
            ? CodedOutputStream.computeInt64Size(
                KvEntry.EXPIRE_AT_MS_FIELD_NUMBER, entry.expireAt())
            : 0);
  }

  /** Writes the message of {@link #entry(StoredEntry, boolean)} without creating it: for lists. */
  public static void write(StoredEntry entry, boolean withExpiry, CodedOutputStream out)
      throws IOException {
    KvValue value = valueOf(entry);
    write(KvEntry.KEY_FIELD_NUMBER, entry.key(), out);
    write(KvEntry.VALUE_FIELD_NUMBER, value.bytes(), out);
    out.writeEnum(KvEntry.ENCODING_FIELD_NUMBER, encoding(value).getNumber());
    out.writeByteArray(KvEntry.VERSIONSTAMP_FIELD_NUMBER, entry.versionstamp().toBytes());
    if (withExpiry && entry.expireAt() != 0) {
      out.writeInt64(KvEntry.EXPIRE_AT_MS_FIELD_NUMBER, entry.expireAt());
    }
  }

  /** Returns the size of a field. Empty bytes are omitted, as in proto3. */
  private static int size(int field, byte[] bytes) {
    return bytes.length == 0 ? 0 : CodedOutputStream.computeByteArraySize(field, bytes);
  }

  private static void write(int field, byte[] bytes, CodedOutputStream out) throws IOException {
    if (bytes.length > 0) {
      out.writeByteArray(field, bytes);
    }
  }

  /**
   * Converts an entry. Its expiry is 0 unless the server is one of this project and was asked.
   *
   * @throws KvException INVALID_VALUE, INVALID_VERSIONSTAMP
   */
  public static StoredEntry entry(KvEntry entry) {
    return new StoredEntry(
        entry.getKey().toByteArray(),
        value(entry.getEncodingValue(), entry.getValue()),
        versionstamp(entry.getVersionstamp()),
        entry.getExpireAtMs());
  }
}
