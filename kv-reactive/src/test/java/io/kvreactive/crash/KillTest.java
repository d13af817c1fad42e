package io.kvreactive.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Repeatedly kills a process (kill -9) at random moments of mixed commits and checkpoints, and
 * verifies the store after each kill.
 */
@Timeout(600) // many processes, perhaps on a slow machine
@ExtendWith(VertxExtension.class)
class KillTest {
  private static final int KILLS = Tries.of(2, 22);

  @TempDir Path directory;
  private Vertx vertx;
  private final Random random = new Random();

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  @Test
  void keepsEveryAnsweredCommitWhollyAfterAKill() throws Exception {
    long commits = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      Map<Integer, Integer> answered = runAndKill(random.nextInt(Tries.of(600, 1500)));
      long total = verify(answered);
      assertThat(total).isGreaterThan(commits);
      commits = total;
    }
  }

  /**
   * Lets a child commit for a number of answers, kills it, and returns the last answer per lane.
   */
  private Map<Integer, Integer> runAndKill(int answers) throws IOException, InterruptedException {
    Map<Integer, Integer> answered = new HashMap<>();
    try (ChildJvm child = ChildJvm.start(KillChild.class, directory.toString())) {
      assertThat(child.readLine()).isEqualTo("open");
      child.killAfter(
          answers + 1,
          line -> {
            String[] words = line.split(" ");
            if (words.length == 2) { // otherwise it was cut off by the kill
              answered.merge(Integer.parseInt(words[0]), Integer.parseInt(words[1]), Math::max);
            }
          });
    }
    return answered;
  }

  private long verify(Map<Integer, Integer> answered) {
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block();
    long total = verify(kv, answered);
    kv.close().block();
    return total;
  }

  /** Returns the number of commits of a store of {@link KillChild}. */
  static long verify(Kv kv, Map<Integer, Integer> answered) {
    long total = 0;
    for (int lane = 0; lane < KillChild.LANES; lane++) {
      Integer seq = kv.get(KillChild.seq(lane), Integer.class).block().value();
      int last = seq == null ? 0 : seq;
      assertThat(last)
          .as("lane %d: nothing answered is lost, nothing unasked is there", lane)
          .isBetween(answered.getOrDefault(lane, 0), answered.getOrDefault(lane, last) + 1);
      total += last;
      verifyLane(kv, lane, last);
      if (last > 0) {
        verifyExpiry(kv, lane, last);
        verifySentAgain(kv, lane, last);
      }
    }
    KvU64 counted = kv.get(KvKey.of("total"), KvU64.class).block().value();
    assertThat(counted == null ? 0 : counted.bits()).as("each commit added one").isEqualTo(total);
    return total;
  }

  private static void verifyExpiry(Kv kv, int lane, int last) {
    KvKey base = KvKey.of("lane", lane);
    KvEntry<Integer> kept = kv.get(base.append("kept"), Integer.class).block();
    assertThat(kept.value()).isEqualTo(last);
    assertThat(kept.expireAt()).isEqualTo(KillChild.expireAt(last));
    KvKey touched = base.append("a", (last + 1) % KillChild.SLOTS);
    if (last >= KillChild.SLOTS) {
      assertThat(kv.get(touched).block().expireAt()).isEqualTo(KillChild.expireAt(last));
    }
    Instant now = Instant.now();
    assertThat(kv.list(KvRange.prefix(base.append("brief"))).collectList().block())
        .as("what has expired is not there, whether it was removed before the kill or not")
        .allSatisfy(entry -> assertThat(entry.expireAt()).isAfter(now));
  }

  /** Repeats the last commit, like a client that has not received the answer. */
  private static void verifySentAgain(Kv kv, int lane, int last) {
    KvKey seq = KillChild.seq(lane);
    Versionstamp first = kv.get(seq).block().versionstamp();
    CommitResult again =
        kv.atomic().set(seq, -1).commitId(KillChild.commitId(lane, last)).commit().block();
    assertThat(again.versionstamp()).isEqualTo(first);
    assertThat(kv.get(seq).block().value()).isEqualTo(last);
  }

  private static void verifyLane(Kv kv, int lane, int last) {
    KvKey base = KvKey.of("lane", lane);
    List<Integer> expected =
        IntStream.range(0, KillChild.SLOTS)
            .map(slot -> newest(slot, last))
            .filter(n -> n > 0)
            .boxed()
            .toList();
    for (String half : List.of("a", "b")) {
      assertThat(
              kv.list(KvRange.prefix(base.append(half)), Integer.class)
                  .map(entry -> entry.required())
                  .collectList()
                  .block())
          .as("lane %d half %s", lane, half)
          .isEqualTo(expected);
    }
    assertThat(
            kv.list(KvRange.prefix(base.append("filler")), byte[].class)
                .map(entry -> (int) entry.key().numberAt(4))
                .collectList()
                .block())
        .as("lane %d fillers", lane)
        .isEqualTo(expected);
  }

  /** Returns the newest commit up to {@code last} that wrote a slot; 0 or less if none did. */
  private static int newest(int slot, int last) {
    int n = last - last % KillChild.SLOTS + slot;
    return n <= last ? n : n - KillChild.SLOTS;
  }
}
