package io.kvreactive.documents.crash;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentStore;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.internal.StoredKeys;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.testing.ChildJvm;
import io.kvreactive.testing.Tries;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Kills processes while they write items, one by one and many at once, and build indexes. */
@Timeout(600) // many processes, perhaps on a slow machine
class IndexKillTest {
  private static final int KILLS = Tries.of(1, 6);

  @TempDir private Path directory;

  private String[] bulkProgress = {}; // the last line of a bulk operation: kind, round, items

  @Test
  void hasTheKeysOfAFreshBuildAfterAKill() throws Exception {
    Map<String, Versionstamp> answered = new HashMap<>();
    Map<String, Versionstamp> batches = new HashMap<>();
    for (int kill = 0; kill < KILLS; kill++) {
      runAndKill(answered, batches, kill * 1_000_000);
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
      checkBulk(index);
      orNull(index.close());
      StoredKeys.check(store.kv(), "pairs");
      StoredKeys.check(store.kv(), "c");
      StoredKeys.check(store.kv(), "lazy");
      StoredKeys.check(store.kv(), "bulk");
    }
  }

  /** Checks that batches are atomic, and that acknowledged batches are not lost. */
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

  /** Checks that counted items of bulk operations are not lost, and that these can be resumed. */
  private void checkBulk(DocumentStore index) {
    var items = index.collection("bulk", JsonNode.class);
    assertThat(bulkProgress).hasSize(3);
    int round = Integer.parseInt(bulkProgress[1]);
    int count = Integer.parseInt(bulkProgress[2]);
    boolean isUpsert = bulkProgress[0].equals("upserted");
    int deleted = 0;
    for (int i = 0; i < IndexKillChild.BULK_ITEMS; i++) {
      Item<JsonNode> item = orNull(items.read("b" + i));
      boolean isCurrent = item != null && item.value().path("round").asInt() >= round;
      if (i % 2 == 0 && (!isUpsert || i < count)) { // even items are never deleted
        assertThat(isCurrent).as("item " + i + " of round " + round).isTrue();
      }
      boolean isNext = item != null && item.value().path("round").asInt() > round;
      deleted += i % 2 == 1 && (item == null || isNext) ? 1 : 0;
      if (isUpsert && i < count) {
        assertThat(isCurrent || item == null).as("item " + i + " of round " + round).isTrue();
      }
    }
    if (!isUpsert) {
      assertThat(deleted).isGreaterThanOrEqualTo(count);
    }
    int last = KILLS * 1_000_000;
    List<String> resumed = TestStore.all(IndexKillChild.bulk(items, last));
    assertThat(resumed)
        .contains("upserted " + last + " " + IndexKillChild.BULK_ITEMS)
        .endsWith("deleted " + last + " " + IndexKillChild.BULK_ITEMS / 2);
    assertThat(TestStore.all(items.query("SELECT * FROM c")))
        .hasSize(IndexKillChild.BULK_ITEMS / 2)
        .allMatch(item -> item.path("round").asInt() == last && !item.path("odd").asBoolean());
  }

  private void runAndKill(
      Map<String, Versionstamp> answered, Map<String, Versionstamp> batches, int firstRound)
      throws Exception {
    try (ChildJvm child =
        ChildJvm.start(IndexKillChild.class, directory.toString(), Integer.toString(firstRound))) {
      child.killAfter(
          300 + ThreadLocalRandom.current().nextInt(Tries.of(1500, 3000)),
          line -> {
            String[] parts = line.split(" ");
            if (line.startsWith("upserted ") || line.startsWith("deleted ")) {
              bulkProgress = parts.length == 3 ? parts : bulkProgress;
              return;
            }
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
