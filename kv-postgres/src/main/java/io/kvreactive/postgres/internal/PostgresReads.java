package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.RangePage.End;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Reads at one version. Each is one statement, and so sees one state. Thread-safe. */
final class PostgresReads {
  /** Maximum size of keys and values of a page, to within one entry. */
  private static final long PAGE_BYTES = 4 << 20;

  private static final int MAX_PAGE_ENTRIES = 10_000;

  private final PostgresConnections database;
  private final PostgresSql sql;
  private final KnownHead known;
  private final DatabaseClock clock;
  private final Set<PostgresSnapshot> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger running = new AtomicInteger();

  PostgresReads(
      PostgresConnections database, PostgresSql sql, KnownHead known, DatabaseClock clock) {
    this.database = database;
    this.sql = sql;
    this.known = known;
    this.clock = clock;
  }

  /** Returns the snapshots that are open. */
  Set<PostgresSnapshot> open() {
    return open;
  }

  /** Returns the number of reads that are not answered. */
  int running() {
    return running.get();
  }

  /**
   * @param seen the version that the server must have
   */
  private Future<RowSet<Row>> execute(String statement, Tuple parameters, long seen) {
    running.incrementAndGet();
    return database
        .execute(
            statement, parameters, rows -> known.check(rows.iterator().next().getLong(0), seen))
        .onComplete(ended -> running.decrementAndGet(), failed -> running.decrementAndGet());
  }

  /** Reads the version of the newest commit, and the server's time into the clock. */
  Future<PostgresSnapshot> snapshot() {
    long seen = known.newest();
    long requested = System.currentTimeMillis();
    return execute(sql.head, Tuple.tuple(), seen)
        .map(
            rows -> {
              Row row = rows.iterator().next();
              clock.observe(row.getLong(3), requested);
              return new PostgresSnapshot(row.getLong(0), row.getLong(3), open);
            });
  }

  /** Reads ranges until keys and values have {@code maxBytes} together. */
  Future<ReadResult> read(
      List<ReadRange> ranges, @Nullable PostgresSnapshot snapshot, long maxBytes) {
    if (snapshot == null && ranges.size() == 1 && ranges.get(0).isPoint()) {
      return readPoint(ranges.get(0));
    }
    long seen = known.newest();
    Tuple parameters =
        Tuple.of(
            ranges.stream().map(r -> Buffer.buffer(r.start())).toArray(Buffer[]::new),
            ranges.stream().map(r -> Buffer.buffer(r.end())).toArray(Buffer[]::new),
            ranges.stream().map(PostgresReads::limit).toArray(Integer[]::new),
            ranges.stream().map(ReadRange::reverse).toArray(Boolean[]::new),
            ranges.stream().map(ReadRange::keysOnly).toArray(Boolean[]::new),
            Math.min(maxBytes, PAGE_BYTES));
    if (snapshot == null) {
      return execute(sql.readNewest, parameters, seen)
          .map(rows -> result(rows.iterator().next().getLong(0), ranges, rows));
    }
    parameters.addLong(snapshot.version).addLong(snapshot.millis);
    return execute(sql.readSnapshot, parameters, snapshot.version)
        .map(
            rows -> {
              long horizon = rows.iterator().next().getLong(1);
              if (snapshot.version < horizon) {
                throw new KvException(
                    KvErrorCode.SNAPSHOT_TOO_OLD,
                    "snapshot %s (expected: at least %s, the oldest kept)"
                        .formatted(snapshot.versionstamp(), Versionstamp.of(horizon)));
              }
              return result(snapshot.version, ranges, rows);
            });
  }

  private static int limit(ReadRange range) {
    return Math.min(range.limit(), MAX_PAGE_ENTRIES);
  }

  /** Returns why a page ends that was not cut for its bytes. */
  private static End end(ReadRange range, int entries) {
    if (range.isPoint() || entries < limit(range)) {
      return End.RANGE;
    }
    return entries == range.limit() ? End.LIMIT : End.SIZE;
  }

  private Future<ReadResult> readPoint(ReadRange point) {
    long seen = known.newest();
    return execute(sql.readPoint, Tuple.of(Buffer.buffer(point.start())), seen)
        .map(
            rows -> {
              Row row = rows.iterator().next();
              Long version = row.getLong(1);
              List<StoredEntry> entries =
                  version == null
                      ? List.of()
                      : List.of(entry(row, point.start(), version, 2, point.keysOnly()));
              return new ReadResult(
                  Versionstamp.of(row.getLong(0)), List.of(new RangePage(entries, End.RANGE)));
            });
  }

  /** Makes an entry of the columns encoding, expire_at and value. */
  private static StoredEntry entry(Row row, byte[] key, long version, int from, boolean keysOnly) {
    byte[] value = keysOnly ? null : Buffers.bytes(row, from + 2);
    return new StoredEntry(
        key,
        value == null ? null : new KvValue(KvValue.Encoding.of(row.getShort(from)), value),
        Versionstamp.of(version),
        row.getLong(from + 1));
  }

  private static ReadResult result(long version, List<ReadRange> ranges, RowSet<Row> rows) {
    List<List<StoredEntry>> found = new ArrayList<>();
    ranges.forEach(range -> found.add(new ArrayList<>()));
    int cutAt = ranges.size();
    for (Row row : rows) {
      Long index = row.getLong(2);
      byte[] key = Buffers.bytes(row, 3);
      if (index == null || key == null) {
        continue; // the head alone
      }
      int i = (int) (index - 1);
      if (row.getBoolean(8)) {
        cutAt = i;
      } else {
        found.get(i).add(entry(row, key, row.getLong(4), 5, ranges.get(i).keysOnly()));
      }
    }
    List<RangePage> pages = new ArrayList<>();
    for (int i = 0; i < ranges.size() && i <= cutAt; i++) {
      List<StoredEntry> entries = found.get(i);
      boolean cut = i == cutAt;
      if (cut && entries.isEmpty()) {
        break;
      }
      pages.add(new RangePage(entries, cut ? End.SIZE : end(ranges.get(i), entries.size())));
    }
    return new ReadResult(Versionstamp.of(version), pages);
  }

  /**
   * Reads all of some keys at the newest version.
   *
   * @param maxBytes the maximum of keys and values together; beyond it LIMIT_EXCEEDED
   */
  Future<ReadResult> readAll(List<ReadRange> points, long maxBytes) {
    return read(points, null, PAGE_BYTES)
        .compose(
            first -> {
              if (first.pages().size() == points.size()) {
                return Future.succeededFuture(first);
              }
              return snapshot()
                  .compose(
                      at ->
                          rest(points, at, new ArrayList<>(), maxBytes)
                              .onComplete(done -> at.close(), failed -> at.close()));
            })
        .map(
            all -> {
              if (all.bytes() > maxBytes) {
                throw ReadResult.tooLarge(maxBytes);
              }
              return all;
            });
  }

  private Future<ReadResult> rest(
      List<ReadRange> points, PostgresSnapshot at, List<RangePage> pages, long maxBytes) {
    return read(points.subList(pages.size(), points.size()), at, PAGE_BYTES)
        .compose(
            next -> {
              pages.addAll(next.pages());
              ReadResult all = new ReadResult(at.versionstamp(), pages);
              return pages.size() == points.size() || all.bytes() > maxBytes
                  ? Future.succeededFuture(all)
                  : rest(points, at, pages, maxBytes);
            });
  }

  /** Counts the keys of a range at the newest version. */
  Future<Long> count(byte[] start, byte[] end) {
    return execute(sql.count, Tuple.of(Buffer.buffer(start), Buffer.buffer(end)), known.newest())
        .map(rows -> rows.iterator().next().getLong(1));
  }
}
