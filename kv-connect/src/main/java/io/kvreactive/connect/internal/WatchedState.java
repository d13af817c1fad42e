package io.kvreactive.connect.internal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.SnapshotReadStatus;
import io.kvreactive.connect.wire.WatchKeyOutput;
import io.kvreactive.connect.wire.WatchOutput;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of watched keys, according to the frames of one response. */
final class WatchedState {
  private final List<byte[]> keys;
  private final List<@Nullable RangePage> pages;
  private Versionstamp version;

  /**
   * @param atLeast the minimum version of the first frame
   */
  WatchedState(List<byte[]> keys, Versionstamp atLeast) {
    this.keys = keys;
    this.pages = new ArrayList<>(java.util.Collections.nCopies(keys.size(), null));
    this.version = atLeast;
  }

  /**
   * Returns the state after a frame.
   *
   * @throws AttemptFailure if the frame is malformed, or the server does not support watches
   */
  ReadResult after(byte[] frame) {
    WatchOutput output;
    try {
      output = WatchOutput.parseFrom(frame);
    } catch (InvalidProtocolBufferException e) {
      throw AttemptFailure.malformed("no WatchOutput: " + e.getMessage());
    }
    if (output.getStatus() != SnapshotReadStatus.SR_SUCCESS) {
      throw AttemptFailure.of(
          Kind.STALE, KvErrorCode.UNAVAILABLE, "the server has stopped reading this database");
    }
    if (output.getKeysCount() != keys.size()) {
      throw AttemptFailure.malformed(
          output.getKeysCount() + " watched keys (expected: " + keys.size() + ")");
    }
    for (int i = 0; i < keys.size(); i++) {
      WatchKeyOutput key = output.getKeys(i);
      if (key.getChanged()) {
        pages.set(i, page(key, keys.get(i)));
      }
    }
    List<RangePage> state = new ArrayList<>(pages.size());
    for (RangePage page : pages) {
      if (page == null) {
        throw AttemptFailure.malformed("a first frame without the state of all keys");
      }
      state.add(page);
    }
    return new ReadResult(version, state);
  }

  private RangePage page(WatchKeyOutput key, byte[] expected) {
    if (!key.hasEntryIfChanged()) {
      return new RangePage(List.of(), End.RANGE);
    }
    StoredEntry entry;
    try {
      entry = WireEntries.entry(key.getEntryIfChanged());
    } catch (KvException e) {
      throw AttemptFailure.malformed(e.detail());
    }
    if (!Arrays.equals(entry.key(), expected)) {
      throw AttemptFailure.malformed("a key that is not watched");
    }
    version = ReadResponseParser.later(version, entry.versionstamp());
    return new RangePage(List.of(entry), End.RANGE);
  }

  /** Returns the versionstamps of the keys, by which states are compared. */
  static List<Optional<Versionstamp>> stamps(ReadResult state) {
    return state.pages().stream()
        .map(page -> page.entries().stream().findFirst().map(StoredEntry::versionstamp))
        .toList();
  }
}
