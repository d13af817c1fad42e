package io.kvreactive.crash;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Loads, opens and reads a store that is larger than its heap; see {@link SmallHeapTest}. */
final class SmallHeapChild {
  private static final int COMMIT_BYTES = 100_000;
  static final int STEP = 97;

  /** Of each value. */
  private static int bytes;

  private SmallHeapChild() {}

  /** Arguments: the store; the number of entries; the bytes of each value. */
  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    KvOptions options = KvOptions.at(Path.of(args[0]));
    int entries = Integer.parseInt(args[1]);
    bytes = Integer.parseInt(args[2]);
    Kv loaded = Kv.open(vertx, options).block();
    int size = COMMIT_BYTES / bytes;
    Flux.range(0, entries / size).flatMap(n -> commit(loaded, n * size, size), 4).blockLast();
    loaded.close().block();
    Kv kv = Kv.open(vertx, options).block();
    System.out.println(read(kv, entries).block() + " of " + (entries + STEP - 1) / STEP);
    System.out.println(kv.list(KvRange.prefix("n"), byte[].class).count().block());
    System.out.println(kv.count(KvRange.all()).block());
    kv.close().block();
    System.out.println("done");
    System.exit(0);
  }

  private static Mono<CommitResult> commit(Kv kv, int from, int size) {
    AtomicOperation operation = kv.atomic();
    for (int n = from; n < from + size; n++) {
      operation.set(key(n), value(n));
    }
    return operation.commit();
  }

  private static Mono<Long> read(Kv kv, int entries) {
    return Flux.range(0, (entries + STEP - 1) / STEP)
        .flatMap(i -> kv.get(key(i * STEP), byte[].class).filter(e -> isRight(e, i * STEP)), 64)
        .count();
  }

  private static boolean isRight(KvEntry<byte[]> entry, int n) {
    return entry.exists() && java.util.Arrays.equals(entry.required(), value(n));
  }

  /** Scattered, so that the load is not in key order. */
  private static KvKey key(int n) {
    return KvKey.of("n", Integer.reverse(n), n);
  }

  private static byte[] value(int n) {
    byte[] value = new byte[bytes];
    value[0] = (byte) n;
    value[bytes - 1] = (byte) (n >>> 8);
    return value;
  }
}
