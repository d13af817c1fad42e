package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.AtomicOperation;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.Versionstamp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/**
 * Reads and writes of single keys, and reads of many keys at one version.
 *
 * <p>Every read sees all commits that were answered before it was requested. A deletion takes a
 * versionstamp even if the key is absent. Nothing happens before a subscription.
 */
public abstract class ReadContract extends KvContract {
  private static final KvKey A = KvKey.of("a");
  private static final KvKey B = KvKey.of("b");

  @Test
  public void emitsAnAbsentEntryForAnAbsentKey() {
    KvEntry<Object> entry = get(kv.get(A));

    assertThat(entry.key()).isEqualTo(A);
    assertThat(entry.exists()).isFalse();
    assertThat(entry.value()).isNull();
    assertThat(entry.versionstamp()).isNull();
  }

  @Test
  public void readsValueAndStampAfterASet() {
    Versionstamp stamp = set(A, "x");

    KvEntry<String> entry = get(kv.get(A, String.class));

    assertThat(entry.value()).isEqualTo("x");
    assertThat(entry.versionstamp()).isEqualTo(stamp);
    assertThat(entry.snapshot()).isGreaterThanOrEqualTo(stamp);
  }

  @Test
  public void findsNothingForTheEmptyKey() {
    assertThat(exists(KvKey.EMPTY)).isFalse();
  }

  @Test
  public void replacesValueAndRaisesStampOnASecondSet() {
    Versionstamp first = set(A, "x");
    settle();
    Versionstamp second = set(A, "y");

    assertThat(second).isGreaterThan(first);
    assertThat(value(A)).isEqualTo("y");
    settle();
    reopen();
    assertThat(value(A)).isEqualTo("y");
    assertThat(get(kv.get(A)).versionstamp()).isEqualTo(second);
  }

  @Test
  public void deletesFromMemoryAndImage() {
    set(A, "x");
    settle();

    get(kv.delete(A));

    assertThat(exists(A)).isFalse();
    settle();
    assertThat(exists(A)).isFalse();
    reopen();
    assertThat(exists(A)).isFalse();
  }

  @Test
  public void consumesAVersionstampForTheDeletionOfAnAbsentKey() {
    Versionstamp before = set(B, 1);

    assertThat(get(kv.delete(A))).isGreaterThan(before);
  }

  @Test
  public void raisesVersionstampsAfterReopening() {
    Versionstamp before = set(A, 1);
    get(kv.delete(A));
    reopen();

    assertThat(set(A, 2)).isGreaterThan(before);
  }

  @Test
  public void keepsPositionsOfDuplicatesAndAbsentKeysInGetMany() {
    set(A, "a");
    settle();
    set(B, "b");

    List<KvEntry<Object>> entries = all(kv.getMany(List.of(B, KvKey.of("no"), A, B)));

    assertThat(entries).extracting(KvEntry::value).containsExactly("b", null, "a", "b");
    assertThat(entries).extracting(KvEntry::key).containsExactly(B, KvKey.of("no"), A, B);
    assertThat(entries).extracting(KvEntry::snapshot).containsOnly(entries.get(0).snapshot());
  }

  @Test
  public void completesGetManyOfNoKeys() {
    assertThat(all(kv.getMany(List.of()))).isEmpty();
  }

  @Test
  public void readsOneSnapshotInGetManyOfSeveralPages() {
    List<KvKey> keys = numbered(2500, "old");
    settle();

    StepVerifier.create(kv.getMany(keys, String.class), 0)
        .thenRequest(1)
        .assertNext(entry -> assertThat(entry.value()).isEqualTo("old"))
        .then(() -> numbered(2500, "new"))
        .thenRequest(Long.MAX_VALUE)
        .thenConsumeWhile(entry -> "old".equals(entry.value()))
        .expectComplete()
        .verify(TIMEOUT);

    assertThat(all(kv.getMany(keys, String.class))).extracting(KvEntry::value).containsOnly("new");
  }

  private List<KvKey> numbered(int count, String value) {
    List<KvKey> keys = new ArrayList<>();
    AtomicOperation operation = kv.atomic();
    for (int i = 0; i < count; i++) {
      keys.add(KvKey.of("n", i));
      operation.set(keys.get(i), value);
    }
    get(operation.commit());
    return keys;
  }

  @Test
  public void doesNothingBeforeSubscription() {
    var set = kv.set(A, "x");
    var delete = kv.delete(A);
    var atomic = kv.atomic().set(A, "z").commit();
    assertThat(exists(A)).isFalse();

    Versionstamp first = get(set);
    assertThat(value(A)).isEqualTo("x");
    assertThat(get(set)).isGreaterThan(first);
    assertThat(get(delete)).isNotNull();
    assertThat(exists(A)).isFalse();
    Versionstamp once = get(atomic).versionstamp();
    assertThat(get(atomic).versionstamp()).isGreaterThan(once);
    assertThat(value(A)).isEqualTo("z");
  }

  @Test
  public void readsTheStateAtSubscription() {
    var get = kv.get(A, Integer.class);
    var getMany = kv.getMany(List.of(A), Integer.class);
    set(A, 1);

    assertThat(get(get).value()).isEqualTo(1);
    set(A, 2);
    assertThat(get(get).value()).isEqualTo(2);
    assertThat(all(getMany)).extracting(KvEntry::value).containsExactly(2);
  }
}
