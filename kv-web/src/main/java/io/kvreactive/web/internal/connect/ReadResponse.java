package io.kvreactive.web.internal.connect;

import com.google.protobuf.CodedOutputStream;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.ReadRangeOutput;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.spi.StoredEntry;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to a read: one buffer, or parts that are encoded on demand if it is large. The
 * entries are encoded directly, without intermediate messages, because a response can have
 * thousands of them.
 */
final class ReadResponse {
  private static final int PART_BYTES = 64 << 10;

  /**
   * Maximum size in bytes of a response in one buffer. One buffer costs less to send than parts,
   * and is enough for most requests of Deno.
   */
  private static final int MAX_WHOLE_BYTES = 256 << 10;

  private static final int LENGTH_DELIMITED = 2;

  /** The fields of the message after the ranges. */
  private static final SnapshotReadOutput DONE =
      SnapshotReadOutput.newBuilder()
          .setReadIsStronglyConsistent(true)
          .setStatus(SnapshotReadStatus.SR_SUCCESS)
          .build();

  private final Versionstamp version;
  private final List<List<StoredEntry>> ranges;
  private final int[] rangeBytes;
  private final long size;
  private final boolean withExpiry;
  private final @Nullable Buffer whole;

  /**
   * Creates a response, and encodes it unless it is large. Must not be called on an event loop if
   * there may be many entries.
   *
   * @param withExpiry true if entries have their time of expiry
   */
  ReadResponse(RangeReader read, boolean withExpiry) {
    this.withExpiry = withExpiry;
    version = read.version();
    ranges = read.entries();
    rangeBytes = new int[ranges.size()];
    long bytes = DONE.getSerializedSize();
    for (int i = 0; i < rangeBytes.length; i++) {
      rangeBytes[i] = size(ranges.get(i));
      bytes += sized(SnapshotReadOutput.RANGES_FIELD_NUMBER, rangeBytes[i]);
    }
    size = bytes;
    whole = bytes <= MAX_WHOLE_BYTES ? encode((int) bytes) : null;
  }

  private int size(List<StoredEntry> entries) {
    int size = 0;
    for (StoredEntry entry : entries) {
      size += sized(ReadRangeOutput.VALUES_FIELD_NUMBER, WireEntries.size(entry, withExpiry));
    }
    return size;
  }

  private static int sized(int field, int bytes) {
    return CodedOutputStream.computeTagSize(field)
        + CodedOutputStream.computeUInt32SizeNoTag(bytes)
        + bytes;
  }

  private Buffer encode(int bytes) {
    byte[] array = new byte[bytes];
    new Steps().write(CodedOutputStream.newInstance(array), bytes);
    return Buffer.buffer(array);
  }

  /** Returns the version of the read, which is sent in a header for clients of this project. */
  Versionstamp version() {
    return version;
  }

  long size() {
    return size;
  }

  /** Returns the response in one buffer; null if it must be sent in parts. */
  @Nullable Buffer whole() {
    return whole;
  }

  /** Returns the response in buffers. Each has about 64 KiB, or one larger entry. */
  Iterator<Buffer> buffers() {
    if (whole != null) {
      return List.of(whole).iterator();
    }
    Steps steps = new Steps();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return !steps.done;
      }

      @Override
      public Buffer next() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(PART_BYTES);
        steps.write(CodedOutputStream.newInstance(bytes), PART_BYTES);
        return Buffer.buffer(bytes.toByteArray());
      }
    };
  }

  /** An encoder that can stop between two entries. */
  private final class Steps {
    private int nextRange;
    private Iterator<StoredEntry> entries = List.<StoredEntry>of().iterator();
    boolean done;

    /** Writes entries until at least {@code bytes} bytes are written, or until the end. */
    void write(CodedOutputStream out, int bytes) {
      try {
        while (!done && out.getTotalBytesWritten() < bytes) {
          step(out);
        }
        out.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void step(CodedOutputStream out) throws IOException {
      if (entries.hasNext()) {
        StoredEntry entry = entries.next();
        begin(out, ReadRangeOutput.VALUES_FIELD_NUMBER, WireEntries.size(entry, withExpiry));
        WireEntries.write(entry, withExpiry, out);
      } else if (nextRange < ranges.size()) {
        begin(out, SnapshotReadOutput.RANGES_FIELD_NUMBER, rangeBytes[nextRange]);
        entries = ranges.get(nextRange++).iterator();
      } else {
        DONE.writeTo(out);
        done = true;
      }
    }

    private static void begin(CodedOutputStream out, int field, int bytes) throws IOException {
      out.writeTag(field, LENGTH_DELIMITED);
      out.writeUInt32NoTag(bytes);
    }
  }
}
