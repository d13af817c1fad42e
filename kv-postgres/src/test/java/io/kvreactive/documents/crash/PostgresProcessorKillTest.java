package io.kvreactive.documents.crash;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.postgres.TestServer;
import io.kvreactive.testing.ChildJvm;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Kills a process that handles changes of a store that it shares with another one. */
@Timeout(600) // perhaps on a slow machine
class PostgresProcessorKillTest {
  @Test
  void handlesTheChangesOfAKilledProcessThatSharesAPostgresStore() throws Exception {
    String schema = "t" + UUID.randomUUID();
    HandledChanges changes = new HandledChanges();
    try (TestStore store = TestStore.of(TestServer.options(schema))) {
      DocumentStore index = DocumentStore.over(store.kv());
      List<String> own = new CopyOnWriteArrayList<>();
      ChangeProcessor member =
          ChangeProcessorKillChild.member(ChangeProcessorKillChild.items(index), own::add);
      orNull(member.start());
      AtomicInteger count = new AtomicInteger();
      try (ChildJvm child =
          ChildJvm.start(PostgresProcessorKillChild.class, TestServer.url(), schema)) {
        child.killWhen(
            line -> {
              changes.note(line);
              // both processes have their share of the ranges
              return line.startsWith("handled") && count.incrementAndGet() >= 100;
            });
      }
      assertThat(own).isNotEmpty();
      TestStore.await(
          () ->
              of(member.state()).stream()
                  .allMatch(range -> range.lag() == 0 && member.id().equals(range.owner())));
      orNull(member.close());
      own.forEach(changes::note);
      orNull(index.close());
    }
    changes.written.forEach(
        (partition, values) -> {
          List<Integer> all = changes.handled.get(partition);
          assertThat(all).as("partition " + partition).containsAll(values);
          assertThat(all.size() - all.stream().distinct().count())
              .as("repetitions") // at most a batch when the ranges are shared, and one at the kill
              .isLessThanOrEqualTo(2 * 10);
        });
  }
}
