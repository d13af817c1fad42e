package io.kvreactive.internal.store.verify;

import io.kvreactive.KvValue;
import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.ImageRecord;
import io.kvreactive.internal.store.image.ImageWalk;
import io.kvreactive.internal.store.image.SortedImage;
import java.util.HexFormat;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reads every record of the image, with its value, and counts them. */
final class RecordsPart implements Part, ImageWalk.Visitor, AutoCloseable {
  private static final int STEP = 100;

  private final SortedImage image;
  private final LongSupplier newest;
  private final @Nullable Agreement agreement;
  private final Findings findings;
  private final ImageWalk walk;
  private boolean inOrder = true;

  /**
   * @param newest the last version that a record may have
   */
  RecordsPart(
      SortedImage image, LongSupplier newest, @Nullable Agreement agreement, Findings findings) {
    this.image = image;
    this.newest = newest;
    this.agreement = agreement;
    this.findings = findings;
    this.walk = image.walk();
  }

  @Override
  public boolean step(long until) {
    boolean more;
    try {
      do {
        more = walk.step(STEP, this);
      } while (more && !Part.isOver(until));
    } catch (RuntimeException | Error e) { // MapDB throws errors of many kinds
      String last = HexFormat.of().formatHex(walk.last());
      findings.image(
          Kind.IMAGE, "reading behind key 0x" + last + " failed: " + e, "the records that follow");
      findings.image(Kind.NOT_CHECKED, "records behind key 0x" + last, "readable");
      more = false;
      inOrder = false;
    }
    findings.keys = walk.keys();
    if (!more) {
      walk.close();
      if (inOrder && walk.keys() != image.keys()) {
        findings.image(
            Kind.KEY_COUNT, image.keys() + " keys by the image's own account", "" + walk.keys());
      }
    }
    return more;
  }

  @Override
  public void record(byte[] key, ImageRecord record) {
    if (record.version() < 1 || record.version() > newest.getAsLong()) {
      findings.key(Kind.VERSION, key, "version " + record.version(), "1 to " + newest.getAsLong());
    }
    if (record.expireAt() != 0) {
      findings.expiringKeys++;
      if (!image.isIndexed(key, record.expireAt())) {
        findings.key(
            Kind.NOT_INDEXED, key, "no entry in the index of expiry", "" + record.expireAt());
      }
    }
    try {
      KvValue unused = image.load(record);
    } catch (RuntimeException | Error e) { // MapDB throws errors of many kinds
      findings.key(Kind.VALUE, key, "the value cannot be read: " + e, "a value");
    }
    if (agreement != null) {
      agreement.record(key, record);
    }
  }

  @Override
  public void outOfOrder(byte[] key, byte[] last) {
    inOrder = false;
    findings.key(Kind.KEY_ORDER, key, "the key", "one behind 0x" + HexFormat.of().formatHex(last));
  }

  @Override
  public void close() {
    walk.close();
  }
}
