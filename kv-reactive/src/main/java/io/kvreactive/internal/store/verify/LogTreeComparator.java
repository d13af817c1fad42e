package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.log.AppliedMutation;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares what commits in the log did with what the image has. The image may be ahead of the
 * version it is compared at, in parts or as a whole: what is newer there is taken as it is.
 *
 * <p>A key that the image does not have must have been deleted by a later commit, so it is kept in
 * mind until that one comes by.
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
   * @param version the image has every commit up to here
   */
  LogTreeComparator(SortedImage image, long version, VerifyReportBuilder report) {
    this.image = image;
    this.version = version;
    this.report = report;
  }

  /** Takes the effects of the next commit. */
  void effect(long at, AppliedMutation effect) {
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
      } catch (RuntimeException | Error e) { // MapDB throws errors of many kinds
        readable = false;
        report.key(Kind.IMAGE, effect.key(), "looking it up failed: " + e, "a record or none");
        report.image(Kind.NOT_CHECKED, "agreement of the image with later commits", "readable");
      }
    }
  }

  private void compare(long at, AppliedMutation effect) {
    ImageRecord record = image.find(effect.key());
    boolean isSet =
        effect.kind() == AppliedMutation.Kind.SET || effect.kind() == AppliedMutation.Kind.TOUCH;
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
          "none, as version " + at + " deleted it");
    } else if (record.version() < at) {
      report.key(Kind.STALE, effect.key(), "version " + record.version(), "at least " + at);
    } else {
      compareContent(effect, record);
    }
  }

  private void compareContent(AppliedMutation effect, ImageRecord record) {
    if (record.expireAt() != effect.expireAt()) {
      report.key(
          Kind.DIFFERENT,
          effect.key(),
          "expiry at " + record.expireAt(),
          effect.expireAt() + ", as version " + record.version() + " says");
    }
    if (effect.kind() == AppliedMutation.Kind.SET && !image.load(record).equals(effect.value())) {
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
          "whether keys set at version " + at + " or later, and not in the image, were deleted",
          "fewer than " + MAX_MISSING + " such keys at a time");
    }
  }

  /** Some commits could not be read: they may have deleted what is missing. */
  void skipped() {
    missing.clear();
  }

  /** Returns true if a later commit is needed to explain why keys are not in the image. */
  boolean wantsMore() {
    return !missing.isEmpty();
  }

  /** The last commit has been taken. */
  void end() {
    for (Map.Entry<byte[], Long> key : missing.entrySet()) {
      report.key(Kind.STALE, key.getKey(), "no record", "version " + key.getValue());
    }
    missing.clear();
  }

  /** Takes a record of the image. */
  void record(byte[] key, ImageRecord record) {
    long deletedAt = deleted.newest(key);
    if (record.version() < deletedAt) {
      report.key(
          Kind.NOT_DELETED,
          key,
          "version " + record.version(),
          "none, as version " + deletedAt + " deleted its range");
    }
  }
}
