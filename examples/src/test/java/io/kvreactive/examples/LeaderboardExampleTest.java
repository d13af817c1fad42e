package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeaderboardExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void agreesOnScoresRankingAndSum() {
    await(LeaderboardExample.run(store.kv(), captured.screen(false), 300));
    assertThat(captured.out())
        .contains("   300 games: player ")
        .containsPattern("(?m)^10\\. player ")
        .containsPattern("300 games with .*: equal");
  }

  @Test
  void listsAPlayerOnceInTheRanking() {
    await(LeaderboardExample.run(store.kv(), captured.screen(false), 300));
    KvKey root = KvKey.of("leaderboard example");
    assertThat(await(store.kv().count(KvRange.prefix(root.append("ranking")))))
        .isEqualTo(await(store.kv().count(KvRange.prefix(root.append("scores")))));
  }
}
