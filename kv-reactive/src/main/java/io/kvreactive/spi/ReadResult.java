package io.kvreactive.spi;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import java.util.List;

/**
 * The result of a read at one version.
 *
 * @param snapshot the newest commit that the read saw
 * @param pages one page for each range, in order; later ones may be missing, see {@link
 *     KvEngine#read}
 */
public record ReadResult(Versionstamp snapshot, List<RangePage> pages) {
  /** Returns the size of all keys and values in bytes. */
  public long bytes() {
    long bytes = 0;
    for (RangePage page : pages) {
      for (StoredEntry entry : page.entries()) {
        bytes += entry.bytes();
      }
    }
    return bytes;
  }

  /** Returns the error of a state of watched keys that is larger than the requested maximum. */
  public static KvException tooLarge(long maxBytes) {
    return new KvException(
        KvErrorCode.LIMIT_EXCEEDED,
        "watched keys and values: too large (expected: at most %d bytes together)"
            .formatted(maxBytes));
  }
}
