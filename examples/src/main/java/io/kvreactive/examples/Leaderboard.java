package io.kvreactive.examples;

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
 * The points of players, kept by {@code sum}, and a ranking: an index whose keys contain the points
 * and are therefore sorted by them. Both change in one transaction.
 */
public final class Leaderboard {
  private final Kv kv;
  private final KvKey root;

  public Leaderboard(Kv kv, KvKey root) {
    this.kv = kv;
    this.root = root;
  }

  /** Returns the key of the number of games. */
  public KvKey games() {
    return root.append("games");
  }

  /** Returns the key of the total of all points. */
  public KvKey points() {
    return root.append("points");
  }

  /** Returns the range of the points, by player. */
  public KvRange scores() {
    return KvRange.prefix(root.append("scores"));
  }

  /** Returns the range of the index entries, by points and player. They have no values. */
  public KvRange ranking() {
    return KvRange.prefix(root.append("ranking"));
  }

  private KvKey score(String player) {
    return root.append("scores", player);
  }

  /** Returns the key of an index entry. A long is a bigint in a key, so all digits count. */
  private KvKey rank(long points, String player) {
    return root.append("ranking", points, player);
  }

  /**
   * Adds points to a player and moves the player in the ranking. Emits the player's points. The
   * score is read, so concurrent games of one player conflict and are retried. The totals are only
   * added to, so concurrent games of other players do not conflict.
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

  /** Emits the first {@code count} places. Reads only these, from the end of the ranking. */
  public Mono<List<Place>> best(int count) {
    ListOptions highestFirst =
        ListOptions.DEFAULT.withReverse(true).withLimit(count).withKeysOnly(true);
    return kv.list(ranking(), highestFirst).map(Leaderboard::place).collectList();
  }

  /** A place of the ranking. */
  public record Place(String player, long points) {
    @Override
    public String toString() {
      return "%s (%,d)".formatted(player, points);
    }
  }

  /** Returns the place of an entry of the ranking. */
  public static Place place(KvEntry<?> ranked) {
    KvKey key = ranked.key();
    int last = key.size() - 1;
    return new Place(key.stringAt(last), key.bigintAt(last - 1).longValueExact());
  }
}
