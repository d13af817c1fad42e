package io.kvreactive.index.crash;

import static io.kvreactive.index.testkit.TestStore.of;
import static io.kvreactive.index.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.index.ChangeProcessor;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.testkit.TestPostgres;
import io.kvreactive.index.testkit.TestStore;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.testkit.ChildJvm;
import io.kvreactive.testkit.Tries;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
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

  private final Map<Integer, SortedSet<Integer>> written = new TreeMap<>(); // by partition
  private final Map<Integer, List<Integer>> handled = new TreeMap<>();

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
      rest.forEach(this::note);
      orNull(index.close());
    }
    written.forEach(
        (partition, values) -> {
          List<Integer> firsts = handled.get(partition).stream().distinct().toList();
          assertThat(firsts).as("partition " + partition).isSorted().containsAll(values);
          assertThat(handled.get(partition).size() - firsts.size())
              .as("repetitions") // at most the last batch of each process
              .isLessThanOrEqualTo(10 * KILLS);
        });
  }

  @Test
  void handlesTheChangesOfAKilledProcessThatSharesAPostgresStore() throws Exception {
    String url = TestPostgres.url();
    try (TestStore store = TestStore.of(PostgresOptions.at(url))) {
      DocumentStore index = DocumentStore.over(store.kv());
      List<String> own = new CopyOnWriteArrayList<>();
      ChangeProcessor member =
          ChangeProcessorKillChild.member(ChangeProcessorKillChild.items(index), own::add);
      orNull(member.start());
      AtomicInteger count = new AtomicInteger();
      try (ChildJvm child = ChildJvm.start(ChangeProcessorKillChild.class, url, "0")) {
        child.killWhen(
            line -> {
              note(line);
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
      own.forEach(this::note);
      orNull(index.close());
    }
    written.forEach(
        (partition, values) -> {
          List<Integer> all = handled.get(partition);
          assertThat(all).as("partition " + partition).containsAll(values);
          assertThat(all.size() - all.stream().distinct().count())
              .as("repetitions") // at most a batch when the ranges are shared, and one at the kill
              .isLessThanOrEqualTo(2 * 10);
        });
  }

  private void note(String line) {
    String[] parts = line.split(" ");
    if (parts.length != 3) {
      return; // cut off by the kill
    }
    int partition = Integer.parseInt(parts[1]);
    int value = Integer.parseInt(parts[2]);
    if (parts[0].equals("written")) {
      written.computeIfAbsent(partition, key -> new TreeSet<>()).add(value);
    } else if (parts[0].equals("handled")) {
      handled.computeIfAbsent(partition, key -> new CopyOnWriteArrayList<>()).add(value);
    }
  }

  private void runAndKill(int from) throws Exception {
    int most = 100 + ThreadLocalRandom.current().nextInt(Tries.of(200, 500));
    AtomicInteger count = new AtomicInteger();
    try (ChildJvm child =
        ChildJvm.start(
            ChangeProcessorKillChild.class, directory.toString(), Integer.toString(from))) {
      child.killWhen(
          line -> {
            note(line);
            return line.startsWith("handled") && count.incrementAndGet() >= most;
          });
    }
    assertThat(count.get()).isGreaterThanOrEqualTo(most);
  }
}
