package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeatedly kills a process that follows its own commits and resumes from the last printed
 * version. The output of all runs contains every commit exactly once.
 */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class FeedKillTest {
  private static final int KILLS = Tries.of(2, 10);

  @TempDir Path directory;
  private Vertx vertx;
  private final Random random = new Random();

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void resumesAFeedAfterAKillWithoutGapOrDuplicate() throws Exception {
    List<Long> told = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(
          told, 100 + random.nextInt(Tries.of(900, 2500)), kill % 2 == 0 ? "sync" : "relaxed");
    }
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block();
    long last = kv.set(KvKey.of("n", -1), "last").block().version();
    assertThat(last).as("nothing that was told is lost").isGreaterThan(last(told));
    kv.changes(KvRange.prefix("n"), Versionstamp.of(last(told)))
        .filter(commit -> !commit.isBookmark())
        .map(KvCommit::versionstamp)
        .map(Versionstamp::version)
        .doOnNext(told::add)
        .takeUntil(version -> version == last)
        .blockLast(Duration.ofSeconds(60));

    List<Long> logged =
        kv.changes(KvRange.prefix("n"), Versionstamp.ZERO)
            .filter(commit -> !commit.isBookmark())
            .map(commit -> commit.versionstamp().version())
            .takeUntil(version -> version == last)
            .collectList()
            .block(Duration.ofSeconds(60));
    assertThat(told).isEqualTo(logged);
    verifyGaps(told);
    kv.close().block();
  }

  /** Versions are consecutive, except for those that the store skips after each kill. */
  private static void verifyGaps(List<Long> told) {
    assertThat(told.get(0)).isEqualTo(1);
    int gaps = 0;
    for (int i = 1; i < told.size(); i++) {
      long step = told.get(i) - told.get(i - 1);
      if (step != 1) {
        gaps++;
        assertThat(step).as("behind %d", told.get(i - 1)).isGreaterThan(1 << 20);
      }
    }
    assertThat(gaps).isEqualTo(KILLS);
  }

  private static long last(List<Long> told) {
    return told.isEmpty() ? 0 : told.get(told.size() - 1);
  }

  private void runAndKill(List<Long> told, int least, String durability)
      throws IOException, InterruptedException {
    try (ChildJvm child =
        ChildJvm.start(FeedKillChild.class, directory.toString(), "" + last(told), durability)) {
      child.killAfter(
          least + 1,
          line -> {
            if (line.endsWith(";")) { // otherwise it was cut off by the kill
              told.add(Long.parseLong(line.substring(0, line.length() - 1)));
            }
          });
    }
  }
}
