package io.kvreactive.connect.internal;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.KvEntry;
import io.kvreactive.connect.wire.ReadRangeOutput;
import io.kvreactive.connect.wire.SnapshotReadOutput;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Parses responses to reads. It is hand-written instead of generated so that it never creates more
 * objects than were requested: two bytes on the wire can be an object.
 */
final class ReadResponseParser {
  private static final int RANGES = SnapshotReadOutput.RANGES_FIELD_NUMBER;
  private static final int DISABLED = SnapshotReadOutput.READ_DISABLED_FIELD_NUMBER;
  private static final int STRONG = SnapshotReadOutput.READ_IS_STRONGLY_CONSISTENT_FIELD_NUMBER;
  private static final int STATUS = SnapshotReadOutput.STATUS_FIELD_NUMBER;

  private final List<ReadRange> requested;
  private final List<RangePage> pages = new ArrayList<>();
  private Versionstamp newest = Versionstamp.ZERO;
  private boolean disabled;
  private boolean strong;
  private int status;

  private ReadResponseParser(List<ReadRange> requested) {
    this.requested = requested;
  }

  /** The pages, and their newest versionstamp. */
  record Read(List<RangePage> pages, Versionstamp newest) {}

  /**
   * @throws AttemptFailure if the response is malformed, or the endpoint rejects reads
   */
  static Read parse(byte[] message, List<ReadRange> requested, int version) {
    ReadResponseParser answer = new ReadResponseParser(requested);
    try {
      answer.read(CodedInputStream.newInstance(message));
    } catch (IOException e) {
      throw AttemptFailure.malformed("no SnapshotReadOutput: " + e.getMessage());
    } catch (KvException e) {
      throw AttemptFailure.malformed(e.detail());
    }
    answer.check(version);
    return new Read(answer.pages, answer.newest);
  }

  private void read(CodedInputStream in) throws IOException {
    int tag;
    while ((tag = in.readTag()) != 0) {
      int field = WireFormat.getTagFieldNumber(tag);
      int type = WireFormat.getTagWireType(tag);
      if (field == RANGES && type == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        int outer = in.pushLimit(in.readRawVarint32());
        range(in);
        in.popLimit(outer);
      } else if (field == DISABLED && type == WireFormat.WIRETYPE_VARINT) {
        disabled = in.readBool();
      } else if (field == STRONG && type == WireFormat.WIRETYPE_VARINT) {
        strong = in.readBool();
      } else if (field == STATUS && type == WireFormat.WIRETYPE_VARINT) {
        status = in.readEnum();
      } else {
        in.skipField(tag);
      }
    }
  }

  private void range(CodedInputStream in) throws IOException {
    if (pages.size() == requested.size()) {
      throw AttemptFailure.malformed("more than the " + requested.size() + " requested ranges");
    }
    ReadRange range = requested.get(pages.size());
    List<StoredEntry> entries = new ArrayList<>(Math.min(range.limit(), 64));
    int tag;
    while ((tag = in.readTag()) != 0) {
      if (WireFormat.getTagFieldNumber(tag) == ReadRangeOutput.VALUES_FIELD_NUMBER
          && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        if (entries.size() == range.limit()) {
          throw AttemptFailure.malformed("more than the " + range.limit() + " requested entries");
        }
        int outer = in.pushLimit(in.readRawVarint32());
        StoredEntry entry = WireEntries.entry(KvEntry.parseFrom(in));
        in.popLimit(outer);
        checkOrder(range, entries, entry.key());
        newest = later(newest, entry.versionstamp());
        entries.add(range.keysOnly() ? withoutValue(entry) : entry);
      } else {
        in.skipField(tag);
      }
    }
    pages.add(new RangePage(entries, end(range, entries.size())));
  }

  private static StoredEntry withoutValue(StoredEntry entry) {
    return new StoredEntry(entry.key(), null, entry.versionstamp(), entry.expireAt());
  }

  private static void checkOrder(ReadRange range, List<StoredEntry> before, byte[] key) {
    boolean inside =
        Arrays.compareUnsigned(key, range.start()) >= 0
            && Arrays.compareUnsigned(key, range.end()) < 0;
    if (!inside) {
      throw AttemptFailure.malformed("a key outside of its range");
    }
    if (!before.isEmpty()) {
      int order = Arrays.compareUnsigned(before.get(before.size() - 1).key(), key);
      if (range.reverse() ? order <= 0 : order >= 0) {
        throw AttemptFailure.malformed("keys out of order");
      }
    }
  }

  private static End end(ReadRange range, int entries) {
    return entries < range.limit() || range.isPoint() ? End.RANGE : End.LIMIT;
  }

  static Versionstamp later(Versionstamp a, Versionstamp b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private void check(int version) {
    if (version >= 3 ? status != SnapshotReadStatus.SR_SUCCESS_VALUE : disabled) {
      throw AttemptFailure.of(
          Kind.STALE, KvErrorCode.UNAVAILABLE, "the server has stopped reading this database");
    }
    if (!strong) {
      throw AttemptFailure.of(
          Kind.STALE,
          KvErrorCode.UNAVAILABLE,
          "the server's answer may be old (expected: strongly consistent)");
    }
    if (pages.size() != requested.size()) {
      throw AttemptFailure.malformed(pages.size() + " ranges (expected: " + requested.size() + ")");
    }
  }
}
