package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.internal.KnownHead.Skip;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * A subscription to the changes of a range. With demand, it reads the table of changes step by
 * step. After it has caught up, it rests until the tracker reports a change in its range.
 */
final class PostgresFeed extends TrackedSubscription<CommittedChanges> {
  private static final long STEP_BYTES = 256 << 10;
  private static final int STEP_ROWS = 1000;

  /** Versions that one step looks through, so that a quiet range is read in short statements. */
  private static final long STEP_VERSIONS = 50_000;

  private final ChangesRequest request;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final DatabaseClock clock;
  private final KnownHead known;
  private final long newestAtStart;
  private final ArrayDeque<CommittedChanges> ready = new ArrayDeque<>();

  private long position; // all up to here is emitted or ready
  private long emittedVersion; // the version of the last element
  private long emittedNanos = System.nanoTime();
  private boolean checked;

  PostgresFeed(
      CoreSubscriber<? super CommittedChanges> subscriber,
      ChangesRequest request,
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      ChangeTracker tracker,
      DatabaseClock clock,
      KnownHead known) {
    super(subscriber, context, tracker);
    this.request = request;
    this.database = database;
    this.sql = sql;
    this.clock = clock;
    this.known = known;
    this.newestAtStart = known.newest();
    Versionstamp since = request.since();
    this.position = since == null ? newestAtStart : since.version();
    this.emittedVersion = since == null ? -1 : since.version();
  }

  @Override
  void register() {
    tracker.add(this);
  }

  @Override
  void drop() {
    tracker.remove(this);
    ready.clear();
  }

  /** Returns true if a change of a key, or of a range if {@code end} is not null, is followed. */
  boolean concerns(byte[] key, byte @Nullable [] end) {
    return Arrays.compareUnsigned(key, request.end()) < 0
        && (end == null
            ? Arrays.compareUnsigned(key, request.start()) >= 0
            : Arrays.compareUnsigned(end, request.start()) > 0);
  }

  /** Records that all changes up to a version are known. Event loop. */
  void advanced(long version) {
    if (!reading && !touched && ready.isEmpty()) {
      position = Math.max(position, version);
      wakeHere();
    }
  }

  @Override
  protected void step() {
    while (!isEnding() && requested() > 0 && !ready.isEmpty()) {
      emitChanges(ready.remove());
    }
    if (isEnding() || reading || requested() == 0 || !ready.isEmpty()) {
      return;
    }
    if (!touched) {
      bookmark();
      return;
    }
    touched = false; // before the read, so that changes during the read cause another one
    reading = true;
    read(known.later(position, STEP_VERSIONS), STEP_BYTES, STEP_ROWS);
  }

  private void read(long through, long bytes, int limit) {
    Tuple parameters =
        Tuple.of(
                position,
                through,
                Buffer.buffer(request.start()),
                Buffer.buffer(request.end()),
                request.oldValues(),
                bytes)
            .addInteger(limit);
    database
        .execute(
            sql.changes,
            parameters,
            rows -> known.check(rows.iterator().next().getLong(0), newestAtStart))
        .onComplete(
            rows -> onEventLoop(() -> take(rows, through, limit)),
            failure -> fail(PgFailure.shown(failure)));
  }

  private void take(RowSet<Row> rows, long through, int limit) {
    if (isEnding()) {
      return;
    }
    Row head = rows.iterator().next();
    long newest = head.getLong(0);
    Versionstamp since = request.since();
    if (!checked && since != null && since.version() > newest) {
      fail(
          new KvException(
              KvErrorCode.INVALID_ARGUMENT,
              "since: "
                  + since
                  + " (expected: at most "
                  + Versionstamp.of(newest)
                  + ", the newest)"));
      return;
    }
    Skip skip = since == null ? null : known.skipOf(since.version());
    if (!checked && since != null && skip != null) { // that commit was lost
      fail(KvException.lost(since, Versionstamp.of(skip.next())));
      return;
    }
    checked = true;
    if (position < head.getLong(1)) {
      fail(KvException.compacted(Versionstamp.of(position), Versionstamp.of(head.getLong(1))));
      return;
    }
    long cutAt = rows.size() == limit ? lastVersion(rows) : Long.MAX_VALUE;
    List<Row> commit = new ArrayList<>();
    for (Row row : rows) {
      Long version = row.getLong(2);
      if (version == null) {
        break; // the head alone
      }
      if (!row.getBoolean(11)) {
        cutAt = Math.min(cutAt, version);
      }
      if (!commit.isEmpty() && !version.equals(commit.get(0).getLong(2))) {
        add(commit, cutAt);
        commit.clear();
      }
      commit.add(row);
    }
    if (!commit.isEmpty()) {
      add(commit, cutAt);
    }
    if (cutAt != Long.MAX_VALUE && ready.isEmpty()) { // one commit is larger than a step
      read(cutAt, Long.MAX_VALUE, Integer.MAX_VALUE);
      return;
    }
    reading = false;
    if (cutAt == Long.MAX_VALUE) {
      position = Math.max(position, Math.min(newest, through));
      touched |= through < newest;
    } else {
      touched = true;
    }
    if (!touched) {
      position = Math.max(position, tracker.seen());
    }
    wakeHere();
  }

  private static long lastVersion(RowSet<Row> rows) {
    long last = 0;
    for (Row row : rows) {
      last = row.getLong(2);
    }
    return last;
  }

  private void add(List<Row> commit, long cutAt) {
    long version = commit.get(0).getLong(2);
    if (version >= cutAt) {
      return;
    }
    List<StoredChange> changes = new ArrayList<>();
    for (Row row : commit) {
      changes.add(change(row));
    }
    position = version;
    ready.add(new CommittedChanges(Versionstamp.of(version), commit.get(0).getLong(6), changes));
  }

  private StoredChange change(Row row) {
    byte[] key = key(row, 3);
    byte[] end = Buffers.bytes(row, 4);
    StoredChange.Kind kind = StoredChange.Kind.of(row.getShort(5));
    if (end != null) {
      byte[] from = Arrays.compareUnsigned(key, request.start()) < 0 ? request.start() : key;
      byte[] to = Arrays.compareUnsigned(end, request.end()) > 0 ? request.end() : end;
      return StoredChange.deleteRange(from, to);
    }
    long oldVersion = row.getLong(8);
    long oldExpireAt = row.getLong(10);
    boolean wasThere =
        oldVersion != 0
            && (kind == StoredChange.Kind.EXPIRE
                || oldExpireAt == 0
                || oldExpireAt > row.getLong(6));
    return new StoredChange(
        kind,
        key,
        null,
        kind == StoredChange.Kind.SET ? value(row, 12, 13) : null,
        row.getLong(7),
        wasThere ? oldVersion : 0,
        wasThere && request.oldValues() ? value(row, 9, 14) : null);
  }

  private static byte[] key(Row row, int column) {
    return row.getBuffer(column).getBytes();
  }

  private static @Nullable KvValue value(Row row, int encoding, int column) {
    byte[] value = Buffers.bytes(row, column);
    return value == null ? null : new KvValue(KvValue.Encoding.of(row.getShort(encoding)), value);
  }

  private void emitChanges(CommittedChanges element) {
    emittedVersion = element.versionstamp().version();
    emittedNanos = System.nanoTime();
    emit(element);
  }

  /** Emits a bookmark when one is due, or sets a timer for it. Only in a step, at rest. */
  private void bookmark() {
    if (position <= emittedVersion) {
      return;
    }
    boolean first = emittedVersion < newestAtStart && position >= newestAtStart;
    long silent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - emittedNanos);
    if (first || silent >= request.bookmarkMillis()) {
      emitChanges(new CommittedChanges(Versionstamp.of(position), clock.now(), List.of()));
    } else if (!hasTimer()) {
      setTimer(Math.max(1, request.bookmarkMillis() - silent), this::wakeHere);
    }
  }
}
