package io.kvreactive.postgres.internal;

import io.kvreactive.Versionstamp;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Mutation;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A group of commits that consist of checks and sets, each of a different key. The group is written
 * by one statement in one round trip, without the lock and reads of other groups.
 *
 * <p>The statement applies the group if the head still has the version that this engine expects,
 * and if all checks pass. Otherwise it changes nothing. All of its reads are at that version. The
 * snapshot of the statement is not older, because the version was known before. It is not newer,
 * because the update of the head waits for other writers and finds the same version.
 */
final class PlainGroup {
  /** Bytes of a change in addition to its key and value, as in {@link GroupEvaluator}. */
  private static final int CHANGE_BYTES = GroupEvaluator.CHANGE_BYTES;

  private record SetRow(long commit, long n, Mutation.Set set) {}

  private final int commits;
  private final SortedMap<byte[], SetRow> sets;
  private final SortedMap<byte[], Long> checks;

  private PlainGroup(int commits, SortedMap<byte[], SetRow> sets, SortedMap<byte[], Long> checks) {
    this.commits = commits;
    this.sets = sets;
    this.checks = checks;
  }

  /** Returns the group, or null if it has other commits than plain ones. */
  static @Nullable PlainGroup of(List<Commit> commits) {
    TreeMap<byte[], SetRow> sets = new TreeMap<>(Arrays::compareUnsigned);
    TreeMap<byte[], Long> checks = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < commits.size(); i++) {
      if (!add(commits.get(i), i + 1, sets, checks)) {
        return null;
      }
    }
    return new PlainGroup(commits.size(), sets, checks);
  }

  private static boolean add(
      Commit commit, int number, Map<byte[], SetRow> sets, Map<byte[], Long> checks) {
    if (commit.id() != null
        || commit.mutations().isEmpty()
        || !commit.rangeChecks().isEmpty()
        || !commit.enqueues().isEmpty()) {
      return false;
    }
    for (Check check : commit.checks()) {
      Versionstamp stamp = check.versionstamp();
      long version = stamp == null ? 0 : stamp.version();
      // a key that an earlier commit sets does not have the version of the table
      if (stamp != null && (version == 0 || stamp.order() != 0)
          || sets.containsKey(check.key())
          || checks.merge(check.key(), version, (a, b) -> a.equals(b) ? a : -1L) < 0) {
        return false;
      }
    }
    TreeMap<byte[], Mutation.Set> own = new TreeMap<>(Arrays::compareUnsigned);
    for (Mutation mutation : commit.mutations()) {
      if (!(mutation instanceof Mutation.Set set) || own.put(set.key(), set) != null) {
        return false;
      }
    }
    long n = 0;
    for (Mutation.Set set : own.values()) {
      if (sets.put(set.key(), new SetRow(number, n++, set)) != null) {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of commits, each of which takes a version. */
  int commits() {
    return commits;
  }

  /**
   * Sends the statement. Emits a row with the time of the commits and the server's time, or no row
   * if nothing was changed.
   *
   * @param version the newest version of the store
   * @param id the id of the group
   */
  Future<RowSet<Row>> send(PgConnection own, PostgresSql sql, UUID history, long version, UUID id) {
    int size = sets.size();
    Long[] numbers = new Long[size];
    Long[] order = new Long[size];
    Buffer[] keys = new Buffer[size];
    Short[] encodings = new Short[size];
    Long[] expireAt = new Long[size];
    Buffer[] values = new Buffer[size];
    long written = 0;
    int i = 0;
    for (SetRow row : sets.values()) {
      Mutation.Set set = row.set;
      numbers[i] = row.commit;
      order[i] = row.n;
      keys[i] = Buffer.buffer(set.key());
      encodings[i] = (short) set.value().encoding().code();
      expireAt[i] = set.expireAt();
      values[i] = Buffer.buffer(set.value().bytes());
      written += CHANGE_BYTES + set.key().length + set.value().bytes().length;
      i++;
    }
    return own.preparedQuery(sql.plain)
        .execute(
            Tuple.tuple()
                .addValue(version)
                .addValue(history)
                .addValue(numbers)
                .addValue(order)
                .addValue(keys)
                .addValue(encodings)
                .addValue(expireAt)
                .addValue(values)
                .addValue((long) commits)
                .addValue(written)
                .addValue(checks.keySet().stream().map(Buffer::buffer).toArray(Buffer[]::new))
                .addValue(checks.values().toArray(Long[]::new))
                .addValue(id));
  }
}
