package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ChildJvm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Kills a process that handles changes of a server (kill -9). */
@Timeout(600) // another process, perhaps on a slow machine
class RemoteProcessorKillTest {
  private static final int VALUES = 400;
  private static final int HANDLED_BEFORE = 60;

  private final Map<String, List<Integer>> handled = new ConcurrentHashMap<>(); // by partition

  private void note(String line) {
    String[] parts = line.split(" ");
    if (parts.length == 2) { // the last line may be cut off by the kill
      handled
          .computeIfAbsent(parts[0], key -> new CopyOnWriteArrayList<>())
          .add(Integer.parseInt(parts[1]));
    }
  }

  private int count() {
    return handled.values().stream().mapToInt(List::size).sum();
  }

  private static void write(DocumentStore store, int from, int to) {
    Flux.range(from, to - from).concatMap(v -> write(store, v)).blockLast();
  }

  private static Mono<?> write(DocumentStore store, int v) {
    return RemoteProcessorKillChild.items(store)
        .upsert(
            JsonNodeFactory.instance
                .objectNode()
                .put("id", "i" + v)
                .put("pk", v % RemoteProcessorKillChild.PARTITIONS)
                .put("v", v));
  }

  @Test
  void anotherMemberContinuesAfterTheStoredPositions() throws Exception {
    TestStore store = TestStore.at(null);
    DocumentServer server = new DocumentServer(store);
    DocumentStore remote = server.connect();
    write(remote, 0, VALUES / 2);
    try (ChildJvm child = ChildJvm.start(RemoteProcessorKillChild.class, server.url())) {
      child.killWhen(
          line -> {
            note(line);
            return count() >= HANDLED_BEFORE;
          });
    }
    int before = count();
    assertThat(before).isGreaterThanOrEqualTo(HANDLED_BEFORE);
    write(remote, VALUES / 2, VALUES);
    ChangeProcessor member = RemoteProcessorKillChild.member(remote, this::note);
    orNull(member.start());
    TestStore.await(
        () ->
            of(member.state()).stream()
                .allMatch(range -> range.lag() == 0 && member.id().equals(range.owner())));
    orNull(member.close());

    handled.forEach(
        (partition, values) ->
            assertThat(values.stream().distinct())
                .as("partition " + partition)
                .containsExactlyElementsOf(
                    IntStream.range(0, VALUES)
                        .filter(
                            v ->
                                v % RemoteProcessorKillChild.PARTITIONS
                                    == Integer.parseInt(partition))
                        .boxed()
                        .toList()));
    assertThat(handled).hasSize(RemoteProcessorKillChild.PARTITIONS);
    assertThat(count() - VALUES).as("repetitions").isLessThanOrEqualTo(8 * 5); // a batch per range
    orNull(remote.close());
    store.close();
  }
}
