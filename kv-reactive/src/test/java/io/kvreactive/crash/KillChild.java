package io.kvreactive.crash;

import io.kvreactive.CommitResult;
import io.kvreactive.Durability;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The process under test: several lanes commit endlessly, each one commit at a time, and print the
 * answered commits, while the image is rebuilt repeatedly. For the invariants after every commit
 * see {@link KillTest}.
 */
final class KillChild {
  static final int LANES = 8;
  static final int SLOTS = 40;
  private static final int[] SIZES = {10, 200, 300, 5000, 40_000};

  private KillChild() {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    KvOptions options =
        KvOptions.at(Path.of(args[0])).withMemoryBytes(1 << 20).withDurability(Durability.SYNC);
    Kv kv = Kv.open(vertx, options).block();
    System.out.println("open");
    kv.admin().compact().repeat().subscribe();
    lanes(kv).blockLast();
  }

  /** Commits endlessly, and prints the answered commits. */
  static Flux<Void> lanes(Kv kv) {
    Random random = new Random();
    return Flux.range(0, LANES)
        .flatMap(
            lane ->
                kv.get(seq(lane), Integer.class)
                    .map(entry -> entry.value() == null ? 0 : entry.value())
                    .flatMap(start -> commits(kv, lane, start, random).then()));
  }

  private static Flux<Integer> commits(Kv kv, int lane, int start, Random random) {
    return Flux.range(start + 1, Integer.MAX_VALUE - start - 1)
        .concatMap(
            n ->
                commit(kv, lane, n, random)
                    .doOnNext(result -> System.out.println(lane + " " + n))
                    .thenReturn(n));
  }

  private static Mono<CommitResult> commit(Kv kv, int lane, int n, Random random) {
    byte[] filler = new byte[SIZES[random.nextInt(SIZES.length)]];
    KvKey base = KvKey.of("lane", lane);
    return kv.atomic()
        .set(seq(lane), n)
        .set(base.append("a", n % SLOTS), n)
        .deleteRange(KvRange.prefix(base.append("filler", n % SLOTS)))
        .set(base.append("filler", n % SLOTS, n), filler)
        .set(base.append("b", n % SLOTS), n)
        .sum(KvKey.of("total"), 1)
        .set(base.append("kept"), n, expireAt(n))
        .touch(base.append("a", (n + 1) % SLOTS), expireAt(n))
        .set(base.append("brief", n), n, Duration.ofMillis(20))
        .commitId(commitId(lane, n))
        .commit();
  }

  /** An expiry long after the test, different for each commit. */
  static Instant expireAt(int n) {
    return Instant.ofEpochSecond(8_000_000_000L + n);
  }

  static String commitId(int lane, int n) {
    return "lane " + lane + ", commit " + n;
  }

  static KvKey seq(int lane) {
    return KvKey.of("lane", lane, "seq");
  }
}
