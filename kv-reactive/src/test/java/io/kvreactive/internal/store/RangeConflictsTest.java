package io.kvreactive.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvValue;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.Versionstamp;
import io.kvreactive.internal.shared.ClockSources;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Range checks against commits: published, in the same batch, and forgotten. */
class RangeConflictsTest {
  private static final int BUDGET = 4000;
  private static final Commit NOTHING = new Commit(List.of(), List.of());
  private static final KvValue VALUE = new KvValue(Encoding.BYTES, new byte[10]);

  private final AtomicLong time = new AtomicLong(1000);
  private final StoreOptions usual = StoreOptions.of(null, true, 1 << 20);
  private final Store store =
      Store.open(
          new StoreOptions(
              null,
              usual.disk(),
              true,
              1 << 20,
              1 << 20,
              1 << 20,
              BUDGET,
              usual.retention(),
              false,
              1000,
              ClockSources.of(time::get)),
          () -> {});

  @AfterEach
  void close() throws Exception {
    store.close();
  }

  private static byte[] key(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private Versionstamp stage(Mutation... mutations) {
    return store.stage(new Commit(List.of(), Arrays.asList(mutations))).versionstamp();
  }

  private Versionstamp commit(Mutation... mutations) {
    Versionstamp stamp = stage(mutations);
    store.publish();
    return stamp;
  }

  private static Mutation set(String key) {
    return new Mutation.Set(key(key), VALUE);
  }

  private static Mutation delete(String key) {
    return new Mutation.Delete(key(key));
  }

  /** Returns true if the store finds no change from b to d. */
  private boolean holds(Versionstamp since, long validUntil) {
    RangeCheck check = new RangeCheck(key("b"), key("d"), since, validUntil);
    RangeCheck elsewhere =
        new RangeCheck(key("~"), key("~~"), store.stage(NOTHING).versionstamp(), 0);
    boolean holds = failed(List.of(check)).isEmpty();
    List<RangeCheck> many = new ArrayList<>(Collections.nCopies(20, elsewhere));
    many.add(check);
    many.add(elsewhere);
    assertThat(failed(many)).isEqualTo(holds ? List.of() : List.of(20));
    return holds;
  }

  private List<Integer> failed(List<RangeCheck> checks) {
    return store.stage(new Commit(List.of(), checks, List.of(), List.of(), null)).failedChecks();
  }

  private boolean holds(Versionstamp since) {
    return holds(since, 0);
  }

  @Test
  void detectsChangesWithinTheRange() {
    Versionstamp since = commit(set("b"), set("c"));
    assertThat(holds(since)).isTrue();
    Versionstamp rewritten = commit(set("c"));
    assertThat(holds(since)).isFalse();
    assertThat(holds(rewritten)).isTrue();
    Versionstamp deleted = commit(delete("b"));
    assertThat(holds(rewritten)).isFalse();
    commit(set("ccc"));
    assertThat(holds(deleted)).isFalse();
  }

  @Test
  void detectsTouches() {
    Versionstamp since = commit(set("c"));
    commit(new Mutation.Touch(key("c"), 5000));
    assertThat(holds(since)).isFalse();
  }

  @Test
  void ignoresChangesOutsideTheRange() {
    Versionstamp since = commit(set("c"));
    commit(set("a"), set("d"), delete("az"), new Mutation.DeleteRange(key("d"), key("e")));
    assertThat(holds(since)).isTrue();
  }

  @Test
  void ignoresDeletionsOfAbsentKeys() {
    Versionstamp since = commit(set("c"));
    commit(delete("cc"), new Mutation.Touch(key("cc"), 5000));
    commit(new Mutation.DeleteRange(key("c0"), key("d")));
    commit(set("cc"), delete("cc"));
    assertThat(holds(since)).isTrue();
  }

  @Test
  void detectsOverlappingDeletionsOfManyKeys() {
    for (int i = 0; i < 300; i++) {
      stage(set("c" + i));
    }
    for (int i = 0; i < 300; i++) {
      stage(set("e" + i));
    }
    store.publish();
    Versionstamp since = commit(set("z"));
    Versionstamp after = commit(new Mutation.DeleteRange(key("e"), key("f")));
    assertThat(holds(since)).isTrue();
    commit(new Mutation.DeleteRange(key("cz"), key("f")));
    assertThat(holds(after)).isTrue();
    commit(new Mutation.DeleteRange(key("a"), key("f")));
    assertThat(holds(after)).isFalse();
  }

  @Test
  void detectsCommitsOfTheSameBatch() {
    Versionstamp since = commit(set("c"));
    Versionstamp staged = stage(set("cc"));
    assertThat(holds(since)).isFalse();
    assertThat(holds(staged)).isTrue();
    store.publish();
    assertThat(holds(since)).isFalse();
    assertThat(holds(staged)).isTrue();
  }

  @Test
  void treatsForgottenVersionsAsChanged() {
    Versionstamp since = commit(set("c"));
    int commits = 0;
    while (store.recent().from() < since.version()) {
      assertThat(commits).isLessThan(100);
      assertThat(holds(since)).isTrue();
      commit(set("x" + commits++));
    }
    while (store.recent().from() == since.version()) { // itself discarded, but nothing after it
      assertThat(holds(since)).isTrue();
      commit(set("x" + commits++));
    }
    assertThat(holds(since)).isFalse();
    assertThat(holds(commit(set("x")))).isTrue();
  }

  @Test
  void forgetsACommitLargerThanTheBudgetImmediately() {
    Versionstamp since = commit(set("c"));
    Versionstamp large =
        commit(new Mutation.Set(key("x"), new KvValue(Encoding.BYTES, new byte[2 * BUDGET])));
    assertThat(holds(since)).isFalse();
    assertThat(holds(large)).isTrue();
  }

  @Test
  void holdsUntilTheFirstReadKeyExpires() {
    Versionstamp since = commit(new Mutation.Set(key("c"), VALUE, 2000));
    assertThat(holds(since, 2000)).isTrue();
    time.set(1999);
    assertThat(holds(since, 2000)).isTrue();
    time.set(2001);
    assertThat(holds(since, 2000)).isFalse();
  }

  @Test
  void ignoresTheSweepOfKeysAlreadyReadAsExpired() {
    commit(new Mutation.Set(key("c"), VALUE, 2000));
    time.set(3000);
    Versionstamp since = commit(set("x"));
    try (StoreSnapshot snapshot = store.snapshot()) {
      ExpiryScan scan = store.scanExpired(snapshot, new byte[0], 10);
      assertThat(scan.expired()).hasSize(1);
      assertThat(store.stageExpired(snapshot, scan, 0)).isEqualTo(1);
      assertThat(store.publish()).hasSize(1);
    }
    assertThat(holds(since)).isTrue();
    commit(delete("c"));
    assertThat(holds(since)).isTrue();
    commit(set("c"));
    assertThat(holds(since)).isFalse();
  }

  @Test
  void ignoresReservedRecordsOfTheStore() {
    Versionstamp since = commit(set("c"));
    store.stage(new Commit(List.of(), List.of(), List.of(set("a")), List.of(), "an id"));
    RangeCheck all = new RangeCheck(key("b"), new byte[] {(byte) 0xFF, (byte) 0xFF}, since, 0);
    assertThat(
            store
                .stage(new Commit(List.of(), List.of(all), List.of(), List.of(), null))
                .committed())
        .isTrue();
  }
}
