package io.kvreactive.web.internal.connect;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
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

/** The answer to a read, as one buffer or, when it is large, as parts that are made when needed. */
final class ReadAnswer {
  private static final int PART_BYTES = 64 << 10;

  /** What follows the ranges. */
  private static final SnapshotReadOutput DONE =
      SnapshotReadOutput.newBuilder()
          .setReadIsStronglyConsistent(true)
          .setStatus(SnapshotReadStatus.SR_SUCCESS)
          .build();

  private final SnapshotReadOutput message;
  private final Versionstamp version;

  ReadAnswer(WholeRead read) {
    this.version = read.version();
    SnapshotReadOutput.Builder output = DONE.toBuilder();
    for (List<StoredEntry> entries : read.entries()) {
      ReadRangeOutput.Builder range = ReadRangeOutput.newBuilder();
      entries.forEach(entry -> range.addValues(WireEntries.entry(entry)));
      output.addRanges(range);
    }
    message = output.build();
  }

  /** What was read; clients of ours are told. */
  Versionstamp version() {
    return version;
  }

  long size() {
    return message.getSerializedSize();
  }

  boolean isSmall() {
    return size() <= PART_BYTES;
  }

  Buffer whole() {
    return Buffer.buffer(message.toByteArray());
  }

  /** The same bytes in parts, each of about 64 KiB or one entry. */
  Iterator<Buffer> parts() {
    return new Parts();
  }

  private final class Parts implements Iterator<Buffer> {
    private final Iterator<ReadRangeOutput> ranges = message.getRangesList().iterator();
    private Iterator<? extends MessageLite> entries = List.<MessageLite>of().iterator();
    private boolean done;

    @Override
    public boolean hasNext() {
      return !done;
    }

    @Override
    public Buffer next() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(PART_BYTES);
      CodedOutputStream part = CodedOutputStream.newInstance(bytes);
      try {
        while (!done && part.getTotalBytesWritten() < PART_BYTES) {
          step(part);
        }
        part.flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Buffer.buffer(bytes.toByteArray());
    }

    private void step(CodedOutputStream part) throws IOException {
      if (entries.hasNext()) {
        part.writeMessage(ReadRangeOutput.VALUES_FIELD_NUMBER, entries.next());
      } else if (ranges.hasNext()) {
        ReadRangeOutput range = ranges.next();
        part.writeTag(SnapshotReadOutput.RANGES_FIELD_NUMBER, 2); // length-delimited
        part.writeUInt32NoTag(range.getSerializedSize());
        entries = range.getValuesList().iterator();
      } else {
        DONE.writeTo(part);
        done = true;
      }
    }
  }
}
