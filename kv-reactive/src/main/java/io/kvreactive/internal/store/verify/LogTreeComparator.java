package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.spi.StoredChange;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares the effects of commits in the log with the image. The image may be ahead of the compared
 * version, partly or as a whole; its newer records are accepted.
 *
 * <p>A key that the image lacks must have been deleted by a later commit, so it is remembered until
 * that commit is read.
 */
final class LogTreeComparator {
  private static final int MAX_MISSING = 500_000;

  private final SortedImage image;
  private final long version;
  private final VerifyReportBuilder report;
  private final DeletedRanges deleted = new DeletedRanges();
  private final TreeMap<byte[], Long> missing = new TreeMap<>(Arrays::compareUnsigned);
  private boolean readable = true;
  private boolean leftOut;

  /**
   * Creates a comparator.
   *
   * @param version the version up to which the image has every commit
   */
  LogTreeComparator(SortedImage image, long version, VerifyReportBuilder report) {
    this.image = image;
    this.version = version;
    this.report = report;
  }

  /** Compares an effect of the next commit. */
  void effect(long at, StoredChange effect) {
    byte[] end = effect.end();
    if (end != null) {
      missing.subMap(effect.key(), true, end, false).clear();
      if (at <= version) {
        deleted.add(effect.key(), end, at);
      }
      return;
    }
    missing.remove(effect.key());
    if (readable) {
      try {
        compare(at, effect);
      } catch (RuntimeException | Error e) { // MapDB throws errors of many types
        readable = false;
        report.key(Kind.IMAGE, effect.key(), "looking it up failed: " + e, "a record or none");
        report.image(Kind.NOT_CHECKED, "agreement of the image with later commits", "readable");
      }
    }
  }

  private void compare(long at, StoredChange effect) {
    ImageRecord record = image.find(effect.key());
    boolean isSet =
        effect.kind() == StoredChange.Kind.SET || effect.kind() == StoredChange.Kind.TOUCH;
    if (record == null) {
      if (isSet && at <= version) {
        isMissing(effect.key(), at);
      }
    } else if (record.version() > at || record.version() < at && at > version) {
      return; // newer, or not written yet
    } else if (!isSet) {
      report.key(
          Kind.NOT_DELETED,
          effect.key(),
          "version " + record.version(),
          "no record: version " + at + " deleted it");
    } else if (record.version() < at) {
      report.key(Kind.STALE, effect.key(), "version " + record.version(), "at least " + at);
    } else {
      compareContent(effect, record);
    }
  }

  private void compareContent(StoredChange effect, ImageRecord record) {
    if (record.expireAt() != effect.expireAt()) {
      report.key(
          Kind.DIFFERENT,
          effect.key(),
          "expiry at " + record.expireAt(),
          effect.expireAt() + ", as in version " + record.version());
    }
    if (effect.kind() == StoredChange.Kind.SET && !image.load(record).equals(effect.value())) {
      report.key(
          Kind.DIFFERENT, effect.key(), "another value", "that of version " + record.version());
    }
  }

  private void isMissing(byte[] key, long at) {
    if (missing.size() < MAX_MISSING) {
      missing.put(key, at);
    } else if (!leftOut) {
      leftOut = true;
      report.image(
          Kind.NOT_CHECKED,
          "deletion of keys that version " + at + " or later set and the image lacks",
          "fewer than " + MAX_MISSING + " such keys at a time");
    }
  }

  /** Forgets missing keys after commits that could not be read, which may have deleted them. */
  void skipped() {
    missing.clear();
  }

  /** Returns true if missing keys require later commits as an explanation. */
  boolean wantsMore() {
    return !missing.isEmpty();
  }

  /** Reports the keys that are still missing after the last commit. */
  void end() {
    for (Map.Entry<byte[], Long> key : missing.entrySet()) {
      report.key(Kind.STALE, key.getKey(), "no record", "version " + key.getValue());
    }
    missing.clear();
  }

  /** Compares a record of the image with the deleted ranges. */
  void record(byte[] key, ImageRecord record) {
    long deletedAt = deleted.newest(key);
    if (record.version() < deletedAt) {
      report.key(
          Kind.NOT_DELETED,
          key,
          "version " + record.version(),
          "no record: version " + deletedAt + " deleted its range");
    }
  }
}
