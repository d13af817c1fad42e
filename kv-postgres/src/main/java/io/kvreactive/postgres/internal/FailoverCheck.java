package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.internal.KnownHead.Skip;
import io.kvreactive.postgres.internal.ServerCluster.Place;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recognizes a promoted server that has lost commits, on every connection before it is used.
 *
 * <p>The head has the server's place: the identifier of its cluster and the timeline of its log,
 * which grows with each promotion. The first engine on another place skips versions, so that none
 * of a lost commit is assigned again. A version that an engine has seen, and that is skipped or
 * newer than the head, was lost. That engine marks the store, and no engine uses it until an
 * operator accepts the loss. Thread-safe.
 */
final class FailoverCheck {
  private static final Logger LOG = LoggerFactory.getLogger(FailoverCheck.class);

  private static final String ACCEPTED = "their loss accepted with: kv postgres accept";

  private final PostgresSql sql;
  private final KnownHead known;

  FailoverCheck(PostgresSql sql, KnownHead known) {
    this.sql = sql;
    this.known = known;
  }

  /** Checks a connection to a primary. Fails with IO_FAILED if the database has lost commits. */
  Future<Void> check(PgConnection connection, Place place) {
    known.checkAccepted();
    long seen = known.newest();
    return head(connection, sql)
        .compose(
            head -> {
              Long lost = head.getLong(5);
              if (lost != null) {
                throw known.refuse(lost(sql, lost, ACCEPTED));
              }
              known.check(head.getUUID(0));
              return moved(connection, sql, head, place);
            })
        .compose(
            head ->
                skips(connection, sql)
                    .compose(
                        skips -> {
                          known.skipped(skips);
                          Skip lostIn = known.skipOf(seen);
                          long newest = head.getLong(1);
                          if (newest < seen || lostIn != null) {
                            return lost(connection, seen, lostIn == null ? newest : lostIn.after());
                          }
                          known.see(newest);
                          return Future.succeededFuture();
                        }));
  }

  /**
   * Emits the head of the store at the opening, before any version was seen. Fails with IO_FAILED
   * if commits were lost.
   */
  static Future<KnownHead> open(
      PgConnection connection, PostgresSql sql, Place place, DatabaseClock clock) {
    long requested = System.currentTimeMillis();
    return head(connection, sql)
        .compose(
            head -> {
              clock.observe(head.getLong(2), requested);
              Long lost = head.getLong(5);
              if (lost != null) {
                throw new KvException(KvErrorCode.IO_FAILED, lost(sql, lost, ACCEPTED));
              }
              return moved(connection, sql, head, place);
            })
        .compose(
            head ->
                skips(connection, sql)
                    .map(
                        skips -> {
                          KnownHead known = new KnownHead(head.getUUID(0), head.getLong(1));
                          known.skipped(skips);
                          return known;
                        }));
  }

  /** Reads the versions that failovers have skipped. */
  private static Future<List<Skip>> skips(PgConnection connection, PostgresSql sql) {
    return connection
        .preparedQuery(sql.skipped)
        .execute()
        .map(
            rows -> {
              List<Skip> skips = new ArrayList<>();
              rows.forEach(row -> skips.add(new Skip(row.getLong(0), row.getLong(1))));
              return skips;
            });
  }

  private static Future<Row> head(PgConnection connection, PostgresSql sql) {
    return connection.preparedQuery(sql.history).execute().map(rows -> rows.iterator().next());
  }

  private static String lost(PostgresSql sql, long seen, String expected) {
    return "the store in schema %s has lost commits up to %s (expected: %s)"
        .formatted(sql.schema, Versionstamp.of(seen), expected);
  }

  /** Marks the store for all engines, and refuses it. */
  private Future<Void> lost(PgConnection connection, long seen, long kept) {
    String reason = lost(sql, seen, "all; those after " + Versionstamp.of(kept) + " are missing");
    LOG.error("{}; calls fail until the loss is accepted with: kv postgres accept", reason);
    return connection
        .preparedQuery(sql.lose)
        .execute(Tuple.of(seen, known.history()))
        .transform(marked -> Future.failedFuture(known.refuse(reason)));
  }

  /** Skips versions if the head was written on another place. Emits the head. */
  private static Future<Row> moved(
      PgConnection connection, PostgresSql sql, Row head, Place place) {
    return place.isOf(head.getLong(3), head.getInteger(4))
        ? Future.succeededFuture(head)
        : inTransaction(
                connection,
                () ->
                    locked(connection, sql)
                        .compose(
                            current -> {
                              if (place.isOf(current.getLong(1), current.getInteger(2))) {
                                return Future.<Void>succeededFuture(); // another engine was first
                              }
                              LOG.info("the store continues at {}", place);
                              // no commit was made on another place before it was recorded
                              return current.getLong(1) == 0 || current.getInteger(2) == 0
                                  ? move(connection, sql, place)
                                  : move(connection, sql, place)
                                      .compose(done -> skip(connection, sql, place, current, 0));
                            }))
            .compose(done -> head(connection, sql));
  }

  /**
   * Accepts that commits were lost: gives the store a new history, which continues after all
   * assigned versions. Emits the version of the newest remaining commit.
   */
  static Future<Long> accept(PgConnection connection, PostgresSql sql, Place place) {
    return inTransaction(
        connection,
        () ->
            locked(connection, sql)
                .compose(
                    head -> {
                      Long lost = head.getLong(3);
                      return move(connection, sql, place)
                          .compose(
                              done -> skip(connection, sql, place, head, lost == null ? 0 : lost))
                          .compose(done -> connection.preparedQuery(sql.accept).execute())
                          .map(done -> head.getLong(4));
                    }));
  }

  private static Future<Row> locked(PgConnection connection, PostgresSql sql) {
    return connection.preparedQuery(sql.lockPlace).execute().map(rows -> rows.iterator().next());
  }

  private static Future<Void> move(PgConnection connection, PostgresSql sql, Place place) {
    return connection
        .preparedQuery(sql.move)
        .execute(Tuple.of(place.cluster(), place.timeline()))
        .mapEmpty();
  }

  private static Future<Void> skip(
      PgConnection connection, PostgresSql sql, Place place, Row head, long lost) {
    long after = head.getLong(0);
    return connection
        .preparedQuery(sql.skip)
        .execute(Tuple.of(place.cluster(), place.timeline(), Math.max(after, lost), after))
        .mapEmpty();
  }

  /** The caller closes the connection after a failure. */
  private static <T> Future<T> inTransaction(PgConnection connection, Supplier<Future<T>> work) {
    return connection
        .query("BEGIN ISOLATION LEVEL READ COMMITTED")
        .execute()
        .compose(begun -> work.get())
        .compose(result -> connection.query("COMMIT").execute().map(result));
  }
}
