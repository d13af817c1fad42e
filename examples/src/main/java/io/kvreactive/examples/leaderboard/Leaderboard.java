package io.kvreactive.examples.leaderboard;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvTransaction;
import io.kvreactive.KvU64;
import io.kvreactive.ListOptions;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Points of players, by {@code sum}, and a ranking: an index whose keys have the points as a part,
 * so that it sorts by them. Both change in one transaction.
 */
public final class Leaderboard {
  private final Kv kv;
  private final KvKey root;

  public Leaderboard(Kv kv, KvKey root) {
    this.kv = kv;
    this.root = root;
  }

  /** Holds the number of games. */
  public KvKey games() {
    return root.append("games");
  }

  /** Holds the points of everybody. */
  public KvKey points() {
    return root.append("points");
  }

  /** Points by player. */
  public KvRange scores() {
    return KvRange.prefix(root.append("scores"));
  }

  /** Nothing by points and player. */
  public KvRange ranking() {
    return KvRange.prefix(root.append("ranking"));
  }

  private KvKey score(String player) {
    return root.append("scores", player);
  }

  /** A long is a bigint in a key: all digits count. */
  private KvKey rank(long points, String player) {
    return root.append("ranking", points, player);
  }

  /**
   * Adds to a player's points and moves the player in the ranking; emits the points. Since the
   * score is read, two games of one player take turns. The sums of everybody are only added to, so
   * all games can share them without a conflict.
   */
  public Mono<Long> finish(String player, int points) {
    return kv.transact(
        tx -> tx.get(score(player), KvU64.class).map(score -> move(tx, player, score, points)));
  }

  private long move(KvTransaction tx, String player, KvEntry<KvU64> score, int points) {
    KvU64 value = score.value();
    long before = value == null ? 0 : value.longValueExact();
    tx.delete(rank(before, player))
        .set(rank(before + points, player), null)
        .sum(score(player), points)
        .sum(points(), points)
        .sum(games(), 1);
    return before + points;
  }

  /** Reads no more of the ranking than is asked for, from its end. */
  public Mono<List<Place>> best(int count) {
    ListOptions highestFirst =
        ListOptions.DEFAULT.withReverse(true).withLimit(count).withKeysOnly(true);
    return kv.list(ranking(), highestFirst).map(Leaderboard::place).collectList();
  }

  /** Who is in the ranking with how many points. */
  public record Place(String player, long points) {
    @Override
    public String toString() {
      return "%s (%,d)".formatted(player, points);
    }
  }

  /** What a key of the ranking says. */
  public static Place place(KvEntry<?> ranked) {
    KvKey key = ranked.key();
    int last = key.size() - 1;
    return new Place(key.stringAt(last), key.bigintAt(last - 1).longValueExact());
  }
}
