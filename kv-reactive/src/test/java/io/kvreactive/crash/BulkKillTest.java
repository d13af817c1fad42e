package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvRecord;
import io.kvreactive.KvStores;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/**
 * Kills a process (kill -9) that loads, commits long operations, runs transactions and restores, at
 * random moments on the same store. Reported work must be present.
 */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class BulkKillTest {
  private static final int KILLS = Tries.of(1, 5);
  private static final int BACKED_UP = 3000;
  private static final Set<String> KINDS =
      Set.of("loaded", "batched", "moved", "updated", "restored");

  @TempDir Path temp;
  private Vertx vertx;
  private final Random random = new Random();
  private final Map<String, Integer> told = new HashMap<>();
  private int restoresSeen;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void keepsReportedWorkAfterAKill() throws Exception {
    Path backup = backUp();
    Path restored = Files.createDirectory(temp.resolve("restored"));
    Path store = temp.resolve("store");
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(store, backup, restored);
      Kv kv = Kv.open(vertx, BulkKillChild.options(store)).block();
      verifyLoad(kv);
      verifyBatches(kv);
      verifyTransactions(kv);
      kv.close().block();
      verifyRestores(restored);
    }
    assertThat(told.keySet()).isEqualTo(KINDS);
  }

  private Path backUp() {
    Kv kv = Kv.open(vertx, KvOptions.at(temp.resolve("origin"))).block();
    kv.load(Flux.range(0, BACKED_UP).map(i -> KvRecord.of(KvKey.of("o", i), i))).blockLast();
    Path backup = temp.resolve("backup");
    kv.admin().backup(backup).blockLast();
    kv.close().block();
    return backup;
  }

  private int told(String what) {
    return told.getOrDefault(what, 0);
  }

  private void runAndKill(Path store, Path backup, Path restored)
      throws IOException, InterruptedException {
    AtomicInteger lines = new AtomicInteger(200 + random.nextInt(Tries.of(1000, 3000)));
    try (ChildJvm child =
        ChildJvm.start(
            BulkKillChild.class,
            store.toString(),
            backup.toString(),
            restored.toString(),
            "" + told("loaded"),
            "" + told("batched"),
            "" + restoresSeen)) {
      assertThat(child.readLine()).isEqualTo("open");
      child.killWhen(
          line -> {
            String[] words = line.split(" ", -1);
            if (line.endsWith(" .")) { // otherwise it was cut off by the kill
              told.merge(words[0], Integer.parseInt(words[1]), Math::max);
            }
            return lines.getAndDecrement() <= 0 && told.keySet().equals(KINDS);
          });
    }
  }

  private void verifyLoad(Kv kv) {
    KvRange range = KvRange.between(KvKey.of("loaded", 0), KvKey.of("loaded", told("loaded")));
    assertThat(kv.count(range).block()).as("loaded").isEqualTo(told("loaded"));
  }

  private void verifyBatches(Kv kv) {
    int whole = told("batched");
    KvRange range = KvRange.between(KvKey.of("batched", 0), KvKey.of("batched", whole));
    assertThat(kv.count(range).block()).isEqualTo((long) whole * BulkKillChild.BATCH);
  }

  private void verifyTransactions(Kv kv) {
    List<Integer> accounts =
        kv.getMany(List.of(BulkKillChild.FROM, BulkKillChild.TO), Integer.class)
            .map(KvEntry::required)
            .collectList()
            .block();
    assertThat(accounts.get(0)).as("nothing half").isEqualTo(-accounts.get(1));
    assertThat(accounts.get(1)).isBetween(told("moved"), told("moved") + 1);
    assertThat(kv.get(BulkKillChild.COUNTER, Integer.class).block().required())
        .isBetween(told("updated"), told("updated") + 1);
    told.put("moved", accounts.get(1));
  }

  /**
   * Restored stores with their final name are complete, and reported stores have their final name.
   */
  private void verifyRestores(Path restored) throws IOException {
    List<Path> whole;
    try (Stream<Path> all = Files.list(restored)) {
      whole = all.filter(path -> path.getFileName().toString().matches("\\d+")).toList();
    }
    assertThat(whole.size()).isBetween(told("restored") - restoresSeen, whole.size());
    for (Path path : whole) {
      assertThat(KvStores.verify(path).blockLast().problems()).isEmpty();
      Kv kv = Kv.open(vertx, KvOptions.at(path)).block();
      assertThat(kv.count(KvRange.prefix("o")).block()).isEqualTo(BACKED_UP);
      kv.close().block();
      restoresSeen = Math.max(restoresSeen, 1 + Integer.parseInt(path.getFileName().toString()));
      delete(path);
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }
}
