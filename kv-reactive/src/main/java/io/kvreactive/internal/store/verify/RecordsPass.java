package io.kvreactive.internal.store.verify;

import io.kvreactive.KvValue;
import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.ImageWalk;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads every record of the image with its value, and counts the records. */
final class RecordsPass implements VerificationPass, ImageWalk.Visitor, AutoCloseable {
  private static final int STEP = 100;

  private final SortedImage image;
  private final LongSupplier newest;
  private final @Nullable LogTreeComparator comparator;
  private final VerifyReportBuilder report;
  private final ImageWalk walk;
  private boolean inOrder = true;

  /**
   * Creates a pass.
   *
   * @param newest the maximum version of a record
   */
  RecordsPass(
      SortedImage image,
      LongSupplier newest,
      @Nullable LogTreeComparator comparator,
      VerifyReportBuilder report) {
    this.image = image;
    this.newest = newest;
    this.comparator = comparator;
    this.report = report;
    this.walk = image.walk();
  }

  @Override
  public boolean step(long until) {
    boolean more;
    try {
      do {
        more = walk.step(STEP, this);
      } while (more && !VerificationPass.isOver(until));
    } catch (RuntimeException | Error e) { // MapDB throws errors of many types
      String last = HexFormat.of().formatHex(walk.last());
      report.image(
          Kind.IMAGE, "reading after key 0x" + last + " failed: " + e, "the records that follow");
      report.image(Kind.NOT_CHECKED, "records after key 0x" + last, "readable");
      more = false;
      inOrder = false;
    }
    report.keys = walk.keys();
    if (!more) {
      walk.close();
      if (inOrder && walk.keys() != image.keys()) {
        report.image(
            Kind.KEY_COUNT, image.keys() + " keys recorded in the image", "" + walk.keys());
      }
    }
    return more;
  }

  @Override
  public void record(byte[] key, ImageRecord record) {
    if (record.version() < 1 || record.version() > newest.getAsLong()) {
      report.key(Kind.VERSION, key, "version " + record.version(), "1 to " + newest.getAsLong());
    }
    if (record.expireAt() != 0) {
      report.expiringKeys++;
      if (!image.isIndexed(key, record.expireAt())) {
        report.key(
            Kind.NOT_INDEXED, key, "no entry in the index of expiry", "" + record.expireAt());
      }
    }
    try {
      KvValue unused = image.load(record);
    } catch (RuntimeException | Error e) { // MapDB throws errors of many types
      report.key(Kind.VALUE, key, "the value cannot be read: " + e, "a value");
    }
    if (comparator != null) {
      comparator.record(key, record);
    }
  }

  @Override
  public void outOfOrder(byte[] key, byte[] last) {
    inOrder = false;
    report.key(Kind.KEY_ORDER, key, "the key", "a key after 0x" + HexFormat.of().formatHex(last));
  }

  @Override
  public void close() {
    walk.close();
  }
}
