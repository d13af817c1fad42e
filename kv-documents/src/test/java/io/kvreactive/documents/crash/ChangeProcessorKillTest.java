package io.kvreactive.documents.crash;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.documents.ChangeProcessor;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes while they handle changes. */
@Timeout(600) // many processes, perhaps on a slow machine
class ChangeProcessorKillTest {
  private static final int KILLS = Tries.of(1, 2);

  @TempDir private Path directory;

  private final HandledChanges changes = new HandledChanges();

  @Test
  void handlesEveryChangeInOrderAfterKills() throws Exception {
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(kill * 1_000_000);
    }
    try (TestStore store = TestStore.at(directory)) {
      DocumentStore index = DocumentStore.over(store.kv());
      List<String> rest = new CopyOnWriteArrayList<>();
      ChangeProcessor member =
          ChangeProcessorKillChild.member(ChangeProcessorKillChild.items(index), rest::add);
      orNull(member.start());
      TestStore.await(
          () ->
              of(member.state()).stream()
                  .allMatch(range -> range.lag() == 0 && member.id().equals(range.owner())));
      orNull(member.close());
      rest.forEach(changes::note);
      orNull(index.close());
    }
    changes.written.forEach(
        (partition, values) -> {
          List<Integer> firsts = changes.handled.get(partition).stream().distinct().toList();
          assertThat(firsts).as("partition " + partition).isSorted().containsAll(values);
          assertThat(changes.handled.get(partition).size() - firsts.size())
              .as("repetitions") // at most the last batch of each process
              .isLessThanOrEqualTo(10 * KILLS);
        });
  }

  private void runAndKill(int from) throws Exception {
    int most = 100 + ThreadLocalRandom.current().nextInt(Tries.of(200, 500));
    AtomicInteger count = new AtomicInteger();
    try (ChildJvm child =
        ChildJvm.start(
            ChangeProcessorKillChild.class, directory.toString(), Integer.toString(from))) {
      child.killWhen(
          line -> {
            changes.note(line);
            return line.startsWith("handled") && count.incrementAndGet() >= most;
          });
    }
    assertThat(count.get()).isGreaterThanOrEqualTo(most);
  }
}
