package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.image.nodes.ImageRecord;
import io.kvreactive.internal.store.memtable.ExpiryKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;

/** Checks the record of every entry of the image's index of expiry. */
final class ExpiryPass implements VerificationPass {
  private static final int STEP = 100;

  private final SortedImage image;
  private final VerifyReportBuilder report;
  private byte[] last = {};

  ExpiryPass(SortedImage image, VerifyReportBuilder report) {
    this.image = image;
    this.report = report;
  }

  @Override
  public boolean step(long until) {
    try {
      Iterator<byte[]> entries = image.expiry(last);
      for (int i = 1; entries.hasNext(); i++) {
        byte[] entry = entries.next();
        if (!isSound(entry)) {
          return false;
        }
        last = entry;
        if (i % STEP == 0 && VerificationPass.isOver(until)) {
          return true;
        }
      }
    } catch (RuntimeException | Error e) { // MapDB throws errors of many types
      String behind = HexFormat.of().formatHex(last);
      report.image(
          Kind.IMAGE, "reading the index of expiry after 0x" + behind + " failed: " + e, "entries");
    }
    return false;
  }

  private boolean isSound(byte[] entry) {
    if (entry.length <= Long.BYTES || Arrays.compareUnsigned(entry, last) <= 0) {
      report.image(
          Kind.KEY_ORDER,
          "entry 0x" + HexFormat.of().formatHex(entry) + " of the index of expiry",
          "an entry after 0x" + HexFormat.of().formatHex(last));
      return false;
    }
    byte[] key = ExpiryKey.key(entry);
    long expireAt = ExpiryKey.expireAt(entry);
    ImageRecord record = image.find(key);
    if (record == null || record.expireAt() != expireAt) {
      String found = record == null ? "no record" : "expiry at " + record.expireAt();
      report.key(Kind.INDEX, key, found, expireAt + ", as in the index of expiry");
    }
    return true;
  }
}
