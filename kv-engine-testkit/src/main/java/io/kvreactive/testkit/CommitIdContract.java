package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvU64;
import io.kvreactive.Versionstamp;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/**
 * Commits that are sent repeatedly: a commit with a known id has no effect.
 *
 * <p>It is answered as the first one. A durable engine remembers ids when it is opened again. A
 * conflict is not remembered, and ids are no keys.
 */
public abstract class CommitIdContract extends KvContract {
  private static final KvKey COUNTER = KvKey.of("counter");

  private AtomicOperation add(String id) {
    return kv.atomic().sum(COUNTER, 1).setVersionstamped(KvKey.of("log"), 1).commitId(id);
  }

  @Test
  public void executesARepeatedCommitOnceWithTheSameResult() {
    Versionstamp first = get(add("a").commit()).versionstamp();
    assertThat(get(add("a").commit()).versionstamp()).isEqualTo(first);
    AtomicOperation other = kv.atomic().set(KvKey.of("other"), 1).commitId("a");
    assertThat(get(other.commit()).versionstamp()).isEqualTo(first);
    assertThat(exists(KvKey.of("other"))).isFalse();
    settle();
    assertThat(get(add("a").commit()).versionstamp()).isEqualTo(first);
    reopen();
    assertThat(get(add("a").commit()).versionstamp()).isEqualTo(first);
    assertThat(value(COUNTER)).isEqualTo(new KvU64(1));
    assertThat(get(add("b").commit()).versionstamp()).isNotEqualTo(first);
  }

  @Test
  public void rejectsABlankId() {
    for (String blank : List.of("", " ", "\t\n")) {
      assertThatThrownBy(() -> add(blank))
          .isInstanceOfSatisfying(
              KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_ARGUMENT));
    }
  }

  @Test
  public void executesConcurrentDuplicatesOnce() {
    List<CommitResult> results =
        all(Flux.range(0, 100).flatMap(i -> add("id" + i % 10).commit(), 100));
    assertThat(results.stream().map(CommitResult::versionstamp).distinct()).hasSize(10);
    assertThat(value(COUNTER)).isEqualTo(new KvU64(10));
  }

  @Test
  public void skipsTheChecksOfARepeatedCommit() {
    AtomicOperation create = kv.atomic().checkAbsent(COUNTER).set(COUNTER, 1).commitId("create");
    CommitResult first = get(create.commit());
    assertThat(get(create.commit())).isEqualTo(first);
  }

  @Test
  public void doesNotRememberAConflict() {
    set(COUNTER, 1);
    AtomicOperation create = kv.atomic().checkAbsent(COUNTER).set(COUNTER, 2).commitId("create");
    assertThat(get(create.commit()).failedChecks()).containsExactly(0);
    get(kv.delete(COUNTER));
    assertThat(get(create.commit()).committed()).isTrue();
    assertThat(value(COUNTER)).isEqualTo(2);
  }

  @Test
  public void keepsIdsOutOfTheKeySpace() {
    get(add("a").commit());
    assertThat(get(kv.count(io.kvreactive.KvRange.all()))).isEqualTo(2);
    get(kv.deleteRange(io.kvreactive.KvRange.all()));
    assertThat(get(add("a").commit()).committed()).isTrue();
    assertThat(exists(COUNTER)).isFalse();
    failure(add("x".repeat(2049)).commit(), KvErrorCode.LIMIT_EXCEEDED);
  }
}
