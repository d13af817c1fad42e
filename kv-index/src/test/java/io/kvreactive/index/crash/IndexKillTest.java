package io.kvreactive.index.crash;

import static io.kvreactive.index.testkit.TestStore.of;
import static io.kvreactive.index.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.DocumentStore;
import io.kvreactive.index.Item;
import io.kvreactive.index.PartitionKey;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.index.internal.StoredKeys;
import io.kvreactive.index.testkit.TestStore;
import io.kvreactive.testkit.ChildJvm;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes while they write items and build indexes. */
@Timeout(600) // many processes, perhaps on a slow machine
class IndexKillTest {
  private static final int KILLS = 3;

  @TempDir private Path directory;

  @Test
  void hasTheKeysOfAFreshBuildAfterAKill() throws Exception {
    Map<String, Versionstamp> answered = new HashMap<>();
    Map<String, Versionstamp> batches = new HashMap<>();
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(answered, batches);
    }
    try (TestStore store = TestStore.at(directory)) {
      DocumentStore index = DocumentStore.over(store.kv());
      var items = index.collection("c", JsonNode.class);
      assertThat(items.transformation().blockLast().isComplete()).isTrue();
      var lagging = index.collection("lazy", JsonNode.class);
      assertThat(lagging.transformation().blockLast().isComplete()).isTrue();
      SqlQuery any = SqlQuery.of("SELECT * FROM c WHERE c.v = 1");
      TestStore.await(() -> of(lagging.explain(any)).plan().path("indexLag").longValue() == 0);
      for (Map.Entry<String, Versionstamp> write : answered.entrySet()) {
        String id = write.getKey();
        Item<JsonNode> item =
            orNull(id.startsWith("l") ? lagging.read(id.substring(1)) : items.read(id));
        assertThat(item).as(write.getKey()).isNotNull();
        assertThat(item.etag()).as(write.getKey()).isGreaterThanOrEqualTo(write.getValue());
      }
      checkPairs(index, batches);
      orNull(index.close());
      StoredKeys.check(store.kv(), "pairs");
      StoredKeys.check(store.kv(), "c");
      StoredKeys.check(store.kv(), "lazy");
    }
  }

  /** Checks that batches are whole, and that those that were answered are not lost. */
  private static void checkPairs(DocumentStore index, Map<String, Versionstamp> batches) {
    var pairs = index.collection("pairs", JsonNode.class);
    assertThat(batches).isNotEmpty();
    for (int i = 0; i < IndexKillChild.PAIR_IDS; i++) {
      List<Item<JsonNode>> pair = TestStore.all(pairs.list(PartitionKey.of(i)));
      Versionstamp answered = batches.get(String.valueOf(i));
      if (!pair.isEmpty()) {
        assertThat(pair).hasSize(2);
        assertThat(pair.get(0).etag()).isEqualTo(pair.get(1).etag());
        assertThat(pair.get(0).value().get("n")).isEqualTo(pair.get(1).value().get("n"));
        assertThat(answered == null || pair.get(0).etag().compareTo(answered) >= 0).isTrue();
      }
    }
  }

  private void runAndKill(Map<String, Versionstamp> answered, Map<String, Versionstamp> batches)
      throws Exception {
    try (ChildJvm child = ChildJvm.start(IndexKillChild.class, directory.toString())) {
      child.killAfter(
          300 + ThreadLocalRandom.current().nextInt(3000),
          line -> {
            String[] parts = line.split(" ");
            if (parts.length != 2 || parts[1].length() != 20) {
              return; // cut off by the kill
            }
            Versionstamp answer = Versionstamp.parse(parts[1]);
            if (line.startsWith("p")) {
              batches.put(parts[0].substring(1), answer);
            } else if (line.startsWith("i") || line.startsWith("li")) {
              answered.merge(parts[0], answer, (a, b) -> a.compareTo(b) > 0 ? a : b);
            }
          });
    }
  }
}
