package io.kvreactive.bench;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import java.util.Arrays;
import reactor.core.publisher.Mono;

/**
 * The entries of all measurements: keys {@code ["bench", kind, number]} with values of 100 bytes.
 */
public final class Data {
  public static final int VALUE_BYTES = 100;

  /** Number of sets in a commit of a bulk load, the maximum of Deno KV. */
  public static final int SETS_PER_COMMIT = 1000;

  private Data() {}

  public static KvKey key(String kind, int number) {
    return KvKey.of("bench", kind, number);
  }

  public static KvRange range(String kind) {
    return KvRange.prefix("bench", kind);
  }

  public static byte[] value() {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) 7);
    return value;
  }

  /**
   * Sets a thousand entries in one commit.
   *
   * @param first the number of the first entry
   */
  public static Mono<CommitResult> commitFrom(Kv kv, String kind, int first) {
    return Mono.defer(
        () -> {
          AtomicOperation commit = kv.atomic();
          byte[] value = value();
          for (int i = 0; i < SETS_PER_COMMIT; i++) {
            commit.set(key(kind, first + i), value);
          }
          return commit.commit();
        });
  }
}
