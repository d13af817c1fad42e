package io.kvreactive.postgres.internal;

import io.vertx.core.Context;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the commits of all engines on the store by polling, and wakes the affected watches and
 * feeds. A notification of a commit only starts the next poll at once. There is one poll at a time,
 * which serves all subscribers. Confined to the event loop of the engine.
 */
final class ChangeTracker {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeTracker.class);

  /**
   * Maximum number of changes that one poll reads. If there are more, every subscriber is woken.
   */
  private static final int MAX_CHANGES = 2000;

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final KnownHead known;
  private final Runnable advanced;
  private final TreeMap<byte[], Set<PostgresWatch>> watched =
      new TreeMap<>(Arrays::compareUnsigned);
  private final Map<PostgresWatch, List<byte[]>> watches = new HashMap<>();
  private final Set<PostgresFeed> feeds = new HashSet<>();
  private long seen;
  private boolean polling;
  private boolean pollAgain;
  private boolean closed;
  private long timer = -1;

  /**
   * @param advanced called after each poll that found commits
   */
  ChangeTracker(
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      KnownHead known,
      Runnable advanced) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.known = known;
    this.advanced = advanced;
    this.seen = known.newest();
  }

  /** Starts to poll. */
  void start(long intervalMillis) {
    timer = context.owner().setPeriodic(intervalMillis, fired -> poll());
  }

  /** Stops to poll until the next start. */
  void stop() {
    context.owner().cancelTimer(timer);
  }

  /** Returns the version up to which subscribers have been woken. */
  long seen() {
    return seen;
  }

  int watches() {
    return watches.size();
  }

  int feeds() {
    return feeds.size();
  }

  void add(PostgresWatch watch, List<byte[]> keys) {
    if (closed) {
      watch.complete();
      return;
    }
    watches.put(watch, keys);
    keys.forEach(key -> watched.computeIfAbsent(key, each -> new HashSet<>()).add(watch));
  }

  void remove(PostgresWatch watch) {
    List<byte[]> keys = watches.remove(watch);
    if (keys != null) {
      for (byte[] key : keys) {
        Set<PostgresWatch> all = watched.get(key);
        if (all != null) {
          all.remove(watch);
          if (all.isEmpty()) {
            watched.remove(key);
          }
        }
      }
    }
  }

  void add(PostgresFeed feed) {
    if (closed) {
      feed.complete();
    } else {
      feeds.add(feed);
    }
  }

  void remove(PostgresFeed feed) {
    feeds.remove(feed);
  }

  /** Looks for commits now. */
  void poll() {
    if (polling || closed) {
      pollAgain = polling;
      return;
    }
    polling = true;
    pollAgain = false;
    boolean keys = hasSubscribers();
    long before = known.newest();
    (keys
            ? database.execute(
                sql.changedKeys, Tuple.of(seen, MAX_CHANGES), rows -> check(rows, before))
            : database.execute(sql.head, Tuple.tuple(), rows -> check(rows, before)))
        .onComplete(
            rows -> context.runOnContext(ignored -> polled(rows, keys)),
            failure -> {
              LOG.debug("a poll failed", failure);
              context.runOnContext(ignored -> failed(failure));
            });
  }

  /** Returns a copy of all subscriptions, which may end while they are called. */
  private List<TrackedSubscription<?>> subscribers() {
    List<TrackedSubscription<?>> all = new ArrayList<>(watches.keySet());
    all.addAll(feeds);
    return all;
  }

  private boolean hasSubscribers() {
    return !watches.isEmpty() || !feeds.isEmpty();
  }

  private void check(RowSet<Row> rows, long before) {
    Row head = rows.iterator().next();
    known.check(head.getUUID(4));
    known.check(head.getLong(0), before);
  }

  private void failed(Throwable failure) {
    if (known.isRefused()) {
      subscribers().forEach(each -> each.fail(failure));
    }
    ended();
  }

  private void polled(RowSet<Row> rows, boolean keys) {
    long newest = rows.iterator().next().getLong(0);
    boolean more = newest > seen;
    if (more && keys && rows.size() < MAX_CHANGES) {
      emit(rows);
    } else if (more && hasSubscribers()) {
      subscribers().forEach(TrackedSubscription::touched);
    }
    seen = Math.max(seen, newest);
    if (more) {
      List.copyOf(feeds).forEach(feed -> feed.advanced(newest));
      advanced.run();
    }
    ended();
  }

  private void ended() {
    polling = false;
    if (pollAgain) {
      poll();
    }
  }

  private void emit(RowSet<Row> rows) {
    Set<TrackedSubscription<?>> touched = new HashSet<>();
    for (Row row : rows) {
      byte[] key = Buffers.bytes(row, 2);
      byte[] end = Buffers.bytes(row, 3);
      if (key == null) {
        continue; // a commit without changes
      }
      if (end == null) {
        touched.addAll(watched.getOrDefault(key, Set.of()));
      } else {
        watched.subMap(key, end).values().forEach(touched::addAll);
      }
      for (PostgresFeed feed : feeds) {
        if (feed.concerns(key, end)) {
          touched.add(feed);
        }
      }
    }
    touched.forEach(TrackedSubscription::touched);
  }

  /** Completes all subscriptions, now and later ones. */
  void close() {
    closed = true;
    context.owner().cancelTimer(timer);
    subscribers().forEach(TrackedSubscription::complete);
  }
}
