package io.kvreactive.crash;

import io.kvreactive.Durability;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Random;
import reactor.core.publisher.Flux;

/**
 * The process under test: commits endlessly and follows its own commits. It prints the version of
 * each commit of the feed. See {@link FeedKillTest}.
 */
final class FeedKillChild {
  private static final int[] SIZES = {10, 300, 5000, 40_000};

  private FeedKillChild() {}

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    KvOptions options =
        KvOptions.at(Path.of(args[0]))
            .withMemoryBytes(1 << 20)
            .withDurability(args[2].equals("relaxed") ? Durability.RELAXED : Durability.SYNC);
    Kv kv = Kv.open(vertx, options).block();
    Random random = new Random();
    var unused =
        kv.changes(KvRange.prefix("n"), Versionstamp.of(Long.parseLong(args[1])))
            .filter(commit -> !commit.isBookmark())
            .subscribe(
                commit -> System.out.println(commit.versionstamp().version() + ";"),
                error -> System.out.println(error));
    Flux.range(0, Integer.MAX_VALUE)
        .flatMap(n -> kv.set(KvKey.of("n", n % 50), new byte[SIZES[random.nextInt(4)]]), 8)
        .blockLast();
  }
}
