package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A restored store that is used with versionstamps of its original. */
@ExtendWith(VertxExtension.class)
class RestoredHistoryTest {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final KvKey KEY = KvKey.of("account");

  @TempDir Path temp;
  private Vertx vertx;

  @BeforeEach
  void use(Vertx vertx) {
    this.vertx = vertx;
  }

  private Kv open(String name) {
    return Kv.open(vertx, KvOptions.at(temp.resolve(name)).withName(name)).block(BOUND);
  }

  private static Versionstamp put(Kv kv, String value) {
    return kv.set(KEY, value).block(BOUND);
  }

  @Test
  void conflictsOnStampsOfTheOriginAndNeverReusesThem() {
    Kv origin = open("origin");
    Versionstamp shared = put(origin, "as backed up");
    origin.admin().backup(temp.resolve("backup")).blockLast(BOUND);
    Set<Versionstamp> given = new HashSet<>();
    Versionstamp lost = put(origin, "after the backup");
    given.add(lost);
    for (int i = 0; i < 20; i++) {
      assertThat(given.add(put(origin, "later " + i))).isTrue();
    }
    Set<Object> histories = new HashSet<>();
    histories.add(origin.historyId());
    origin.close().block(BOUND);

    for (String name : new String[] {"first", "second"}) { // from one backup
      RestoreResult result =
          KvStores.restore(temp.resolve("backup"), temp.resolve(name)).block(BOUND);
      assertThat(result.versionstamp()).isEqualTo(shared);
      Kv kv = open(name);
      assertThat(histories.add(kv.historyId())).as("another history").isTrue();
      KvException refused =
          catchThrowableOfType(
              KvException.class,
              () -> kv.changes(KvRange.all(), lost, KvValue.class).blockFirst(BOUND));
      assertThat(refused.code()).isEqualTo(KvErrorCode.COMPACTED);
      for (int i = 0; i < 30; i++) { // more than the original has committed
        assertThat(given.add(put(kv, name + i))).as("%s, commit %d", name, i).isTrue();
      }
      refused =
          catchThrowableOfType(
              KvException.class,
              () -> kv.changes(KvRange.all(), lost, KvValue.class).blockFirst(BOUND));
      assertThat(refused.code()).isEqualTo(KvErrorCode.COMPACTED);
      assertThat(refused.oldest()).isNotNull();
      assertThat(refused.since()).isEqualTo(lost);
      assertThat(refused.isLost()).isTrue();
      assertThat(kv.changes(KvRange.all(), shared, KvValue.class).blockFirst(BOUND).versionstamp())
          .isGreaterThan(shared);
      CommitResult stale = kv.atomic().check(KEY, lost).set(KEY, "stale").commit().block(BOUND);
      assertThat(stale.committed()).isFalse();
      assertThat(kv.admin().verify().blockLast(BOUND).problems()).isEmpty();
      Object history = kv.historyId();
      kv.close().block(BOUND);
      assertThat(KvStores.verify(temp.resolve(name)).blockLast(BOUND).problems()).isEmpty();
      Kv again = open(name);
      assertThat(again.historyId()).isEqualTo(history);
      again.close().block(BOUND);
    }
  }

  /** A backup of a restored store, and a restore from its log. */
  @Test
  void restoresBackupsAndLogsWithSkippedVersions() {
    Kv origin = open("origin");
    put(origin, "one");
    origin.admin().backup(temp.resolve("backup")).blockLast(BOUND);
    origin.close().block(BOUND);
    KvStores.restore(temp.resolve("backup"), temp.resolve("restored")).block(BOUND);
    Kv restored = open("restored");
    restored.admin().backup(temp.resolve("before")).blockLast(BOUND);
    Versionstamp two = put(restored, "two");
    restored.admin().backup(temp.resolve("behind")).blockLast(BOUND);
    Versionstamp three = put(restored, "three");
    restored.close().block(BOUND);

    for (String backup : new String[] {"before", "behind"}) {
      assertThat(KvStores.verify(temp.resolve(backup)).blockLast(BOUND).problems()).isEmpty();
      RestoreOptions log = RestoreOptions.DEFAULT.withLog(temp.resolve("restored"));
      String target = "again-" + backup;
      RestoreResult result =
          KvStores.restore(temp.resolve(backup), temp.resolve(target), log.until(two)).block(BOUND);
      assertThat(result.versionstamp()).isEqualTo(two);
      Kv kv = open(target);
      assertThat(kv.get(KEY, String.class).block(BOUND).value()).isEqualTo("two");
      assertThat(put(kv, "other")).isGreaterThan(three);
      assertThat(kv.admin().verify().blockLast(BOUND).problems()).isEmpty();
      kv.close().block(BOUND);
    }
  }
}
