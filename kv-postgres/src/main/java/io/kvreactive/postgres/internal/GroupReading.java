package io.kvreactive.postgres.internal;

import io.kvreactive.KvException;
import io.kvreactive.KvValue.Encoding;
import io.kvreactive.postgres.internal.GroupEvaluator.Cell;
import io.kvreactive.postgres.internal.PostgresQueues.Removal;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KeyRanges;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The first round trip of a group of commits: begins the transaction, locks the head and reads the
 * affected rows. The statements are pipelined. Each sees all commits before the lock.
 */
final class GroupReading {
  /** Maximum number of keys of a deleted range that is expanded to one deletion per key. */
  private static final int MAX_EXPANDED_KEYS = 256;

  private final PgConnection own;
  private final List<byte[]> keys = new ArrayList<>();
  private final List<Boolean> withValue = new ArrayList<>();
  private final Set<String> ids = new HashSet<>();
  private final KeyRanges deletedRanges = new KeyRanges();
  private final List<RangeCheck> rangeChecks = new ArrayList<>();
  private final List<Future<RowSet<Row>>> all = new ArrayList<>();
  private final Future<RowSet<Row>> head;
  private final Future<RowSet<Row>> keyRows;
  private @Nullable Future<RowSet<Row>> idRows;
  private @Nullable Future<RowSet<Row>> rangeRows;
  private @Nullable Future<RowSet<Row>> failedRows;
  private final Map<Removal, Future<RowSet<Row>>> removed = new HashMap<>();
  private int steps;

  /**
   * Sends the statements.
   *
   * @param own the connection, on which no transaction is open
   * @param removals the leased messages that are removed by commits of the group
   */
  GroupReading(PgConnection own, PostgresSql sql, List<Commit> commits, List<Removal> removals) {
    this.own = own;
    TreeMap<byte[], Boolean> touched = new TreeMap<>(Arrays::compareUnsigned);
    commits.forEach(commit -> collect(commit, touched));
    touched.forEach(
        (key, value) -> {
          keys.add(key);
          withValue.add(value);
        });
    all.add(own.query("BEGIN ISOLATION LEVEL READ COMMITTED").execute());
    head = read(sql.lockHead, Tuple.tuple());
    keyRows =
        read(
            sql.loadKeys,
            Tuple.tuple()
                .addValue(Buffers.array(keys))
                .addValue(withValue.toArray(Boolean[]::new))
                .addValue(GroupEvaluator.MAX_MERGED_BYTES));
    if (!ids.isEmpty()) {
      List<byte[]> encoded = ids.stream().map(id -> id.getBytes(StandardCharsets.UTF_8)).toList();
      idRows = read(sql.loadIds, Tuple.of(Buffers.array(encoded)));
    }
    if (!deletedRanges.isEmpty()) {
      rangeRows =
          read(
              sql.loadRanges,
              Tuple.of(
                  Buffers.array(deletedRanges.asMap().keySet()),
                  Buffers.array(deletedRanges.asMap().values()),
                  MAX_EXPANDED_KEYS + 1));
    }
    if (!rangeChecks.isEmpty()) {
      failedRows =
          read(
              sql.failedRanges,
              Tuple.of(
                  Buffers.array(rangeChecks.stream().map(RangeCheck::start).toList()),
                  Buffers.array(rangeChecks.stream().map(RangeCheck::end).toList()),
                  rangeChecks.stream().map(c -> c.since().version()).toArray(Long[]::new)));
    }
    for (Removal removal : removals) {
      LeaseToken token = removal.token();
      Tuple lease =
          Tuple.of(QueueRow.version(token.id()), QueueRow.number(token.id()), token.lease())
              .addBoolean(removal.repeatable());
      removed.put(removal, read(sql.removeLeased, lease));
    }
  }

  private Future<RowSet<Row>> read(String statement, Tuple parameters) {
    Future<RowSet<Row>> answer = own.preparedQuery(statement).execute(parameters);
    all.add(answer);
    return answer;
  }

  private void collect(Commit commit, Map<byte[], Boolean> touched) {
    steps += commit.checks().size() + commit.mutations().size() + commit.rangeChecks().size();
    for (Check check : commit.checks()) {
      touched.putIfAbsent(check.key(), false);
    }
    for (Mutation mutation : commit.mutations()) {
      switch (mutation.kind()) {
        case SET, TOUCH, DELETE -> touched.putIfAbsent(mutation.key(), false);
        case SUM, MIN, MAX -> touched.put(mutation.key(), true);
        case SET_VERSIONSTAMPED -> {} // its key is new
        case DELETE_RANGE ->
            deletedRanges.add(mutation.key(), ((Mutation.DeleteRange) mutation).end());
      }
    }
    rangeChecks.addAll(commit.rangeChecks());
    if (commit.id() != null) {
      ids.add(commit.id());
    }
  }

  /** Completes when all is read. */
  Future<?> done() {
    return Future.join(all);
  }

  /** Returns the number of checks and mutations. */
  int steps() {
    return steps;
  }

  /** Returns the server's time. */
  long now() {
    return keyRows.result().iterator().next().getLong(0);
  }

  /** Returns the version of the newest commit. */
  long version() {
    return head.result().iterator().next().getLong(0);
  }

  /** Returns true if values that the group merges were not read, because they are too large. */
  boolean lacksValues() {
    for (Row key : keyRows.result()) {
      Long index = key.getLong(1);
      if (index != null && withValue.get((int) (index - 1)) && key.getBuffer(5) == null) {
        return true;
      }
    }
    return false;
  }

  /** Returns true if a message was removed, and so was leased by that token. */
  boolean isRemoved(Removal removal) {
    Future<RowSet<Row>> rows = removed.get(removal);
    return rows != null && rows.result().size() > 0;
  }

  /**
   * Returns the evaluator for the rows that were read.
   *
   * @throws KvException IO_FAILED if the store is refused
   * @throws KnownHead.StaleServerException if the server is behind
   */
  GroupEvaluator evaluator(KnownHead known) {
    Row row = head.result().iterator().next();
    known.check(row.getUUID(3));
    known.check(row.getLong(0), known.newest());
    TreeMap<byte[], Cell> loaded = new TreeMap<>(Arrays::compareUnsigned);
    long now = row.getLong(2);
    for (Row key : keyRows.result()) {
      now = Math.max(now, key.getLong(0));
      Long index = key.getLong(1);
      if (index != null) {
        loaded.put(keys.get((int) (index - 1)), cell(key, 2, Buffers.bytes(key, 5)));
      }
    }
    return new GroupEvaluator(
        row.getLong(0),
        row.getLong(1),
        now,
        loaded,
        truncated(loaded),
        knownIds(),
        changedRanges());
  }

  /** Adds the rows of ranges, and returns the ranges that have too many. */
  private KeyRanges truncated(Map<byte[], Cell> loaded) {
    KeyRanges truncated = new KeyRanges();
    if (rangeRows == null) {
      return truncated;
    }
    int[] counts = new int[deletedRanges.size()];
    for (Row row : rangeRows.result()) {
      counts[(int) (row.getLong(0) - 1)]++;
      byte[] key = Buffers.bytes(row, 1);
      if (key != null) {
        loaded.putIfAbsent(key, cell(row, 2, null));
      }
    }
    int i = 0;
    for (Map.Entry<byte[], byte[]> range : deletedRanges.asMap().entrySet()) {
      if (counts[i++] > MAX_EXPANDED_KEYS) {
        truncated.add(range.getKey(), range.getValue());
      }
    }
    return truncated;
  }

  private Map<String, Long> knownIds() {
    Map<String, Long> found = new HashMap<>();
    if (idRows != null) {
      for (Row row : idRows.result()) {
        found.put(new String(row.getBuffer(0).getBytes(), StandardCharsets.UTF_8), row.getLong(1));
      }
    }
    return found;
  }

  private Map<RangeCheck, Boolean> changedRanges() {
    Map<RangeCheck, Boolean> changed = new HashMap<>();
    if (failedRows != null) {
      for (Row row : failedRows.result()) {
        changed.put(rangeChecks.get((int) (row.getLong(0) - 1)), true);
      }
    }
    return changed;
  }

  private static Cell cell(Row row, int from, byte @Nullable [] value) {
    return new Cell(
        row.getLong(from), Encoding.of(row.getShort(from + 1)), row.getLong(from + 2), value, true);
  }
}
