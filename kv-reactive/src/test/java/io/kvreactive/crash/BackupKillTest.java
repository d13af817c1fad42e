package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.KvStores;
import io.kvreactive.RestoreOptions;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process (kill -9) that commits and takes backups: each backup is complete or absent,
 * reported backups exist, and no acknowledged commit is missing from the log of the killed store.
 */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class BackupKillTest {
  private static final int KILLS = Tries.of(1, 8);

  @TempDir Path temp;
  private Vertx vertx;
  private final Random random = new Random();
  private final TreeSet<Integer> reported = new TreeSet<>();
  private int restores;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void leavesWholeOrNoBackupsAfterAKill() throws Exception {
    Path store = temp.resolve("store");
    Path backups = Files.createDirectory(temp.resolve("backups"));
    for (int kill = 0; kill < KILLS; kill++) {
      TreeSet<Integer> before = numbers(backups);
      int next = before.isEmpty() ? 0 : before.last() + 1;
      Map<Integer, Integer> answered =
          runAndKill(store, backups, next, random.nextInt(Tries.of(600, 1500)), kill < KILLS - 1);
      TreeSet<Integer> whole = numbers(backups);
      assertThat(whole).containsAll(reported);
      if (!whole.isEmpty()) {
        Path newest = backups.resolve("" + whole.last());
        verify(newest, RestoreOptions.DEFAULT, Map.of());
        verify(newest, RestoreOptions.DEFAULT.withLog(store), answered);
      }
      Kv kv = Kv.open(vertx, KvOptions.at(store)).block();
      KillTest.verify(kv, answered);
      kv.close().block();
    }
    assertThat(reported).isNotEmpty();
    verify(backups.resolve("" + reported.first()), RestoreOptions.DEFAULT, Map.of());
  }

  private void verify(Path backup, RestoreOptions options, Map<Integer, Integer> answered) {
    Path path = temp.resolve("restored" + restores++);
    KvStores.restore(backup, path, options).block();
    Kv kv = Kv.open(vertx, KvOptions.at(path)).block();
    KillTest.verify(kv, answered);
    kv.close().block();
  }

  /** Returns the numbers of the backups under their final name. */
  private static TreeSet<Integer> numbers(Path backups) throws IOException {
    try (Stream<Path> all = Files.list(backups)) {
      TreeSet<Integer> numbers = new TreeSet<>();
      all.map(path -> path.getFileName().toString())
          .filter(name -> !name.endsWith(".partial"))
          .forEach(name -> numbers.add(Integer.parseInt(name)));
      return numbers;
    }
  }

  /**
   * Returns the last answer per lane.
   *
   * @param mayBeNone false to kill the process only after some process has reported a backup
   */
  private Map<Integer, Integer> runAndKill(
      Path store, Path backups, int next, int answers, boolean mayBeNone)
      throws IOException, InterruptedException {
    Map<Integer, Integer> answered = new HashMap<>();
    try (ChildJvm child =
        ChildJvm.start(BackupKillChild.class, store.toString(), backups.toString(), "" + next)) {
      assertThat(child.readLine()).isEqualTo("open");
      AtomicInteger seen = new AtomicInteger();
      child.killWhen(
          line -> {
            if (line.startsWith(BackupKillChild.BACKUP)) {
              if (line.endsWith(" .")) { // otherwise it was cut off by the kill
                reported.add(Integer.parseInt(line.split(" ")[1]));
              }
            } else if (line.matches("\\d+ \\d+")) {
              String[] words = line.split(" ");
              answered.merge(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Math::max);
            }
            return seen.incrementAndGet() > answers && (mayBeNone || !reported.isEmpty());
          });
    }
    return answered;
  }
}
