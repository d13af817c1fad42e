package io.kvreactive.postgres.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The statements of one store. In the texts, {@code ${s}} stands for the schema, {@code ${now}} for
 * the server's time in milliseconds. Immutable.
 */
final class PostgresSql {
  /** The version of the schema that this library writes. */
  static final int FORMAT = 3;

  private static final String NOW =
      "(floor(extract(epoch from statement_timestamp()) * 1000)::bigint)";

  /** A change of kind 6 keeps a key of a deleted range for snapshots; feeds do not emit it. */
  static final short KEY_OF_RANGE = 6;

  final String schema;

  // ---- the head
  final String head;
  final String lockHead;
  final String history;

  // ---- failovers
  final String skipped;
  final String lockPlace;
  final String move;
  final String skip;
  final String lose;
  final String accept;

  // ---- reads
  final String readPoint;
  final String readNewest;
  final String readSnapshot;
  final String count;

  // ---- commits
  final String loadKeys;
  final String loadIds;
  final String loadRanges;
  final String failedRanges;
  final String deleteRange;
  final String apply;
  final String plain;
  final String insertIds;
  final String insertMessages;
  final String findBatch;
  final String skipVersion;

  // ---- changes
  final String changedKeys;
  final String changes;

  // ---- queues
  final String claim;
  final String closeClaim;
  final String claimed;
  final String nextReady;
  final String extend;
  final String ack;
  final String redeliver;
  final String release;
  final String leased;
  final String lapsed;
  final String removeLeased;
  final String ended;
  final String queueStats;

  // ---- maintenance
  final String lead;
  final String expired;
  final String oldBatches;
  final String raiseHorizon;
  final String dropChanges;
  final String dropBatches;
  final String dropIds;
  final String dropEnded;
  final String sizes;

  PostgresSql(String schemaName) {
    schema = '"' + schemaName.replace("\"", "\"\"") + '"';
    head =
        of("SELECT version, horizon, millis, ${now} AS now, history FROM ${s}.head WHERE id = 1");
    lockHead =
        of("SELECT version, horizon, millis, history FROM ${s}.head WHERE id = 1 FOR UPDATE");
    history =
        of(
            """
            SELECT history, version, ${now} AS now, cluster, timeline, lost FROM ${s}.head
            WHERE id = 1
            """);

    skipped = of("SELECT after_version, next_version FROM ${s}.skipped ORDER BY after_version");
    lockPlace =
        of(
            """
            SELECT version, cluster, timeline, lost, coalesce(
              (SELECT after_version FROM ${s}.skipped WHERE next_version = version), version)
            FROM ${s}.head WHERE id = 1 FOR UPDATE
            """);
    move =
        of(
            """
            UPDATE ${s}.head SET cluster = coalesce(nullif($1::bigint, 0), cluster),
              timeline = coalesce(nullif($2::int, 0), timeline)
            WHERE id = 1
            """);
    skip =
        of(
            """
            WITH h AS (
              UPDATE ${s}.head SET version = greatest(${now} << 10, $3::bigint + 1048578)
              WHERE id = 1 RETURNING version)
            INSERT INTO ${s}.skipped SELECT $4::bigint, version, $1::bigint, $2::int, ${now} FROM h
            """);
    lose =
        of(
            """
            UPDATE ${s}.head SET lost = $1, history = gen_random_uuid()
            WHERE id = 1 AND history = $2
            """);
    accept = of("UPDATE ${s}.head SET lost = NULL, history = gen_random_uuid() WHERE id = 1");

    readPoint =
        of(
            """
            SELECT h.version, e.version, e.encoding, e.expire_at, e.value
            FROM ${s}.head h LEFT JOIN ${s}.entry e
              ON e.key = $1 AND (e.expire_at = 0 OR e.expire_at > ${now})
            WHERE h.id = 1
            """);
    readNewest =
        read(
            """
            SELECT key, version, encoding, expire_at, value FROM ${s}.entry
            WHERE key >= r.s AND key < r.e AND (expire_at = 0 OR expire_at > ${now})
            """,
            "$6");
    readSnapshot =
        read(
            """
            SELECT key, version, encoding, expire_at, value FROM ${s}.entry
            WHERE key >= r.s AND key < r.e AND version <= $7
              AND (expire_at = 0 OR expire_at > $8)
            UNION ALL
            SELECT key, old_version, old_encoding, old_expire_at, old_value FROM ${s}.change
            WHERE key >= r.s AND key < r.e AND version > $7
              AND old_version > 0 AND old_version <= $7
              AND (old_expire_at = 0 OR old_expire_at > $8)
            """,
            "$6");
    count =
        of(
            """
            SELECT h.version, c.n FROM ${s}.head h, (
              SELECT count(*) AS n FROM ${s}.entry
              WHERE key >= $1 AND key < $2 AND (expire_at = 0 OR expire_at > ${now})) c
            WHERE h.id = 1
            """);

    loadKeys =
        of(
            """
            SELECT ${now}, r.i, r.version, r.encoding, r.expire_at, r.value
            FROM (VALUES (1)) one LEFT JOIN LATERAL (
              SELECT u.i, e.version, e.encoding, e.expire_at,
                CASE WHEN u.v AND sum(CASE WHEN u.v THEN octet_length(e.value) ELSE 0 END)
                  OVER (ORDER BY u.i) <= $3::bigint THEN e.value END AS value
              FROM unnest($1::bytea[], $2::boolean[]) WITH ORDINALITY u(k, v, i)
              JOIN ${s}.entry e ON e.key = u.k) r ON true
            """);
    loadIds = of("SELECT id, version FROM ${s}.commit_id WHERE id = ANY($1::bytea[])");
    loadRanges =
        of(
            """
            SELECT r.i, e.key, e.version, e.encoding, e.expire_at
            FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY r(s, e, i), LATERAL (
              SELECT key, version, encoding, expire_at FROM ${s}.entry
              WHERE key >= r.s AND key < r.e ORDER BY key LIMIT $3) e
            """);
    failedRanges =
        of(
            """
            SELECT r.i
            FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) WITH ORDINALITY r(s, e, v, i)
            WHERE EXISTS (
              SELECT 1 FROM ${s}.change c
              WHERE c.version > r.v AND c.kind <> 5 AND c.key < r.e
                AND (c.range_end > r.s OR c.range_end IS NULL AND c.key >= r.s))
              OR EXISTS (
                SELECT 1 FROM ${s}.skipped k WHERE k.after_version < r.v AND r.v < k.next_version)
            """);
    deleteRange =
        of(
            """
            WITH gone AS (DELETE FROM ${s}.entry WHERE key >= $1 AND key < $2 RETURNING *),
            kept AS (
              INSERT INTO ${s}.change
              SELECT $3::bigint, $4::bigint + row_number() OVER (), key, NULL, 6, $5::bigint, 0,
                version, encoding, expire_at, value FROM gone RETURNING 1)
            UPDATE ${s}.head SET keys = keys - (SELECT count(*) FROM kept) WHERE id = 1
            """);
    apply =
        of(
            """
            WITH c AS (
              INSERT INTO ${s}.change
              SELECT u.version, u.n, u.key, u.range_end, u.kind, $20::bigint, u.expire_at,
                CASE WHEN u.stored = 1 THEN coalesce(e.version, 0) ELSE u.old_version END,
                CASE WHEN u.stored = 1 THEN e.encoding ELSE u.old_encoding END,
                CASE WHEN u.stored = 1 THEN coalesce(e.expire_at, 0) ELSE u.old_expire_at END,
                CASE WHEN u.stored = 0 THEN u.old_value ELSE e.value END
              FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bytea[], $5::smallint[],
                  $6::bigint[], $7::bigint[], $8::smallint[], $9::bigint[], $10::bytea[],
                  $11::smallint[])
                u(version, n, key, range_end, kind, expire_at, old_version, old_encoding,
                  old_expire_at, old_value, stored)
              LEFT JOIN ${s}.entry e ON u.stored > 0 AND e.key = u.key),
            s AS (
              INSERT INTO ${s}.entry
              SELECT * FROM unnest($12::bytea[], $13::bigint[], $14::smallint[], $15::bigint[],
                $16::bytea[])
              ON CONFLICT (key) DO UPDATE SET version = excluded.version,
                encoding = excluded.encoding, expire_at = excluded.expire_at,
                value = excluded.value),
            t AS (
              UPDATE ${s}.entry e SET version = u.version, expire_at = u.expire_at
              FROM unnest($17::bytea[], $18::bigint[], $19::bigint[]) u(key, version, expire_at)
              WHERE e.key = u.key),
            d AS (DELETE FROM ${s}.entry WHERE key = ANY($21::bytea[])),
            h AS (
              UPDATE ${s}.head SET version = $22::bigint, millis = $20::bigint, keys = keys + $23::bigint,
                written = written + $24::bigint
              WHERE id = 1 RETURNING written)
            INSERT INTO ${s}.batch SELECT $22::bigint, $25::uuid, $20::bigint, written FROM h
            """);
    plain =
        of(
            """
            WITH o AS MATERIALIZED (
              SELECT u.*, e.version AS old_version, e.encoding AS old_encoding,
                e.expire_at AS old_expire_at, e.value AS old_value
              FROM unnest($3::bigint[], $4::bigint[], $5::bytea[], $6::smallint[], $7::bigint[],
                  $8::bytea[])
                u(i, n, key, encoding, expire_at, value)
              LEFT JOIN ${s}.entry e ON e.key = u.key),
            h AS (
              UPDATE ${s}.head SET version = version + $9::bigint, millis = greatest(millis, ${now}),
                keys = keys + (SELECT count(*) FROM o WHERE old_version IS NULL),
                written = written + $10::bigint
              WHERE id = 1 AND version = $1::bigint AND history = $2::uuid AND NOT EXISTS (
                SELECT 1 FROM unnest($11::bytea[], $12::bigint[]) x(key, version)
                LEFT JOIN ${s}.entry e ON e.key = x.key
                  AND (e.expire_at = 0 OR e.expire_at > greatest(millis, ${now}))
                WHERE coalesce(e.version, 0) <> x.version)
              RETURNING version, millis, written),
            c AS (
              INSERT INTO ${s}.change
              SELECT $1::bigint + o.i, o.n, o.key, NULL, 1, h.millis, o.expire_at,
                coalesce(o.old_version, 0), o.old_encoding, coalesce(o.old_expire_at, 0), o.old_value
              FROM h, o),
            s AS (
              INSERT INTO ${s}.entry
              SELECT o.key, $1::bigint + o.i, o.encoding, o.expire_at, o.value FROM h, o
              ON CONFLICT (key) DO UPDATE SET version = excluded.version,
                encoding = excluded.encoding, expire_at = excluded.expire_at,
                value = excluded.value),
            b AS (INSERT INTO ${s}.batch SELECT version, $13::uuid, millis, written FROM h)
            SELECT ${now} FROM h
            """);
    insertIds =
        of(
            """
            INSERT INTO ${s}.commit_id
            SELECT id, version, $3::bigint FROM unnest($1::bytea[], $2::bigint[]) u(id, version)
            """);
    insertMessages =
        of(
            """
            INSERT INTO ${s}.message
            SELECT u.version, u.n, u.queue, u.ready_at, 1, 0, 0, $8::bigint, u.redelivery, u.encoding,
              u.payload
            FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bigint[], $5::bytea[],
                $6::smallint[], $7::bytea[])
              u(version, n, queue, ready_at, redelivery, encoding, payload)
            """);
    findBatch = of("SELECT 1 FROM ${s}.batch WHERE last_version = $1 AND id = $2");
    skipVersion =
        of(
            """
            UPDATE ${s}.head SET version = version + 1 WHERE id = 1 AND NOT EXISTS (
              SELECT 1 FROM ${s}.batch WHERE last_version = $1 AND id = $2)
            """);

    changedKeys =
        of(
            """
            SELECT h.version, c.version, c.key, c.range_end, h.history
            FROM ${s}.head h LEFT JOIN LATERAL (
              SELECT version, key, range_end FROM ${s}.change
              WHERE version > $1 AND kind <> 6 ORDER BY version, n LIMIT $2) c ON true
            WHERE h.id = 1
            """);
    changes =
        of(
            """
            SELECT h.version AS newest, h.horizon, c.version, c.key, c.range_end, c.kind, c.millis,
              c.expire_at, c.old_version, c.old_encoding, c.old_expire_at, c.whole, c.encoding,
              CASE WHEN c.whole THEN c.value END AS value,
              CASE WHEN c.whole AND $5::boolean THEN c.old_value END AS old_value
            FROM ${s}.head h
            LEFT JOIN LATERAL (
              SELECT z.*, sum(z.size) OVER (ORDER BY z.version, z.n) - z.size < $6::bigint AS whole
              FROM (
                SELECT ch.*,
                  coalesce(e.encoding, x.old_encoding) AS encoding,
                  coalesce(e.value, x.old_value) AS value,
                  64 + octet_length(ch.key) + coalesce(octet_length(e.value), octet_length(x.old_value), 0)
                    + CASE WHEN $5::boolean THEN coalesce(octet_length(ch.old_value), 0) ELSE 0 END AS size
                FROM (
                  SELECT * FROM ${s}.change
                  WHERE version > $1 AND version <= $2 AND kind <> 6 AND key < $4
                    AND (range_end > $3 OR range_end IS NULL AND key >= $3)
                  ORDER BY version, n LIMIT $7) ch
                LEFT JOIN ${s}.entry e ON ch.kind = 1 AND e.key = ch.key AND e.version = ch.version
                LEFT JOIN LATERAL (
                  SELECT y.old_encoding, y.old_value FROM ${s}.change y
                  WHERE ch.kind = 1 AND e.key IS NULL AND y.key = ch.key AND y.version > ch.version
                    AND y.old_version = ch.version
                  ORDER BY y.version LIMIT 1) x ON true) z) c ON true
            WHERE h.id = 1
            ORDER BY c.version, c.n
            """);

    claim =
        of(
            """
            WITH due AS (
              SELECT version, n, ready_at, octet_length(payload) AS size FROM ${s}.message
              WHERE queue = $1 AND lease = 0 AND ready_at <= ${now}
              ORDER BY ready_at, version, n LIMIT $2 FOR UPDATE SKIP LOCKED),
            taken AS (
              SELECT version, n FROM (
                SELECT version, n, sum(size) OVER (ORDER BY ready_at, version, n) - size AS before
                FROM due) sized
              WHERE before < $5::bigint),
            open AS (
              INSERT INTO ${s}.ended_delivery
              SELECT $3::bigint, 0, 0, 0, ${now} WHERE EXISTS (SELECT 1 FROM taken)
              ON CONFLICT DO NOTHING RETURNING 1)
            UPDATE ${s}.message m SET lease = $3, lease_until = ${now} + $4::bigint
            FROM taken t, open WHERE m.version = t.version AND m.n = t.n
            RETURNING m.version, m.n, m.ready_at, m.attempt, m.enqueued_at, m.redelivery, m.encoding,
              m.payload
            """);
    closeClaim =
        of(
            """
            INSERT INTO ${s}.ended_delivery VALUES ($1, 0, 0, 0, ${now}) ON CONFLICT DO NOTHING
            """);
    claimed =
        of(
            """
            UPDATE ${s}.message m SET lease_until = ${now} + $3::bigint
            WHERE m.lease <> 0 AND m.lease = $2 AND m.queue = $1
            RETURNING m.version, m.n, m.ready_at, m.attempt, m.enqueued_at, m.redelivery, m.encoding,
              m.payload
            """);
    nextReady =
        of(
            """
            SELECT min(ready_at) - ${now} FROM ${s}.message WHERE queue = $1 AND lease = 0
            """);
    extend =
        of(
            """
            UPDATE ${s}.message m SET lease_until = ${now} + $4::bigint
            FROM unnest($1::bigint[], $2::int[], $3::bigint[]) u(version, n, lease)
            WHERE m.version = u.version AND m.n = u.n AND m.lease = u.lease
              AND m.lease_until > ${now}
            RETURNING m.version, m.n, m.lease
            """);
    ack =
        of(
            """
            WITH gone AS (
              DELETE FROM ${s}.message m
              USING unnest($1::bigint[], $2::int[], $3::bigint[]) u(version, n, lease)
              WHERE m.version = u.version AND m.n = u.n AND m.lease = u.lease
                AND m.lease_until > ${now}
              RETURNING m.version, m.n, m.lease),
            e AS (
              INSERT INTO ${s}.ended_delivery SELECT lease, version, n, 1, ${now} FROM gone)
            SELECT version, n, lease FROM gone
            """);
    redeliver =
        of(
            """
            WITH gone AS (
              UPDATE ${s}.message SET lease = 0, lease_until = 0, attempt = attempt + 1,
                ready_at = ${now} + $4::bigint
              WHERE version = $1 AND n = $2 AND lease = $3 RETURNING 1),
            e AS (
              INSERT INTO ${s}.ended_delivery
              SELECT $3::bigint, $1::bigint, $2::int, 2, ${now} FROM gone WHERE $5::boolean)
            SELECT 1 FROM gone
            """);
    release =
        of(
            """
            WITH gone AS (
              UPDATE ${s}.message m SET lease = 0, lease_until = 0
              FROM unnest($1::bigint[], $2::int[], $3::bigint[]) u(version, n, lease)
              WHERE m.version = u.version AND m.n = u.n AND m.lease = u.lease
              RETURNING m.version, m.n, u.lease),
            e AS (
              INSERT INTO ${s}.ended_delivery SELECT lease, version, n, 3, ${now} FROM gone)
            SELECT version, n, lease FROM gone
            """);
    leased =
        of(
            """
            SELECT attempt, redelivery, encoding, payload, lease_until > ${now} FROM ${s}.message
            WHERE version = $1 AND n = $2 AND lease = $3
            """);
    lapsed =
        of(
            """
            SELECT version, n, lease, queue FROM ${s}.message
            WHERE lease <> 0 AND lease_until <= ${now} ORDER BY lease_until LIMIT $1
            """);
    removeLeased =
        of(
            """
            WITH gone AS (
              DELETE FROM ${s}.message WHERE version = $1 AND n = $2 AND lease = $3 RETURNING 1),
            e AS (
              INSERT INTO ${s}.ended_delivery
              SELECT $3::bigint, $1::bigint, $2::int, 2, ${now} FROM gone WHERE $4::boolean)
            SELECT 1 FROM gone
            """);
    ended =
        of(
            """
            SELECT e.version, e.n, e.lease
            FROM unnest($1::bigint[], $2::int[], $3::bigint[]) u(version, n, lease)
            JOIN ${s}.ended_delivery e ON e.lease = u.lease AND e.version = u.version AND e.n = u.n
            WHERE e.kind = $4
            """);
    queueStats =
        of(
            """
            WITH RECURSIVE q(name) AS (
              (SELECT queue FROM ${s}.message ORDER BY queue LIMIT 1)
              UNION ALL
              SELECT (SELECT queue FROM ${s}.message WHERE queue > q.name ORDER BY queue LIMIT 1)
              FROM q WHERE q.name IS NOT NULL)
            SELECT q.name, d.depth, d.leased, r.ready, ${now} - r.oldest
            FROM q,
            LATERAL (SELECT count(*) AS depth, count(*) FILTER (WHERE lease <> 0) AS leased
              FROM ${s}.message WHERE queue = q.name) d,
            LATERAL (SELECT count(*) AS ready, min(ready_at) AS oldest FROM (
              SELECT ready_at FROM ${s}.message WHERE queue = q.name AND lease = 0
                AND ready_at <= ${now} ORDER BY ready_at LIMIT $1) x) r
            WHERE q.name IS NOT NULL ORDER BY q.name
            """);

    lead = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))";
    expired =
        of(
            """
            SELECT key FROM ${s}.entry WHERE expire_at > 0 AND expire_at <= ${now}
            ORDER BY expire_at, key LIMIT $1
            """);
    oldBatches =
        of(
            """
            SELECT max(b.last_version), max(b.written) FROM (
              SELECT last_version, millis, written FROM ${s}.batch
              WHERE last_version > (SELECT horizon FROM ${s}.head WHERE id = 1)
              ORDER BY last_version LIMIT $1) b,
              ${s}.head h
            WHERE b.millis <= ${now} - $2::bigint
              AND (b.millis <= ${now} - $3::bigint OR b.written <= h.written - $4::bigint)
            """);
    raiseHorizon =
        of(
            """
            UPDATE ${s}.head SET horizon = $1, purged = $2::bigint WHERE id = 1 AND horizon < $1
            """);
    dropChanges =
        of(
            """
            WITH old AS (
              SELECT version, n FROM ${s}.change
              WHERE version <= (SELECT horizon FROM ${s}.head WHERE id = 1)
              ORDER BY version, n LIMIT $1)
            DELETE FROM ${s}.change c USING old WHERE c.version = old.version AND c.n = old.n
            RETURNING 1
            """);
    dropBatches =
        of(
            """
            DELETE FROM ${s}.batch
            WHERE last_version <= (SELECT horizon FROM ${s}.head WHERE id = 1)
            """);
    dropIds =
        of(
            """
            WITH old AS (
              SELECT id FROM ${s}.commit_id WHERE millis <= ${now} - $2::bigint
              ORDER BY millis LIMIT $1)
            DELETE FROM ${s}.commit_id c USING old WHERE c.id = old.id RETURNING 1
            """);
    dropEnded =
        of(
            """
            WITH old AS (
              SELECT lease, version, n FROM ${s}.ended_delivery WHERE millis <= ${now} - $2::bigint
              ORDER BY millis LIMIT $1)
            DELETE FROM ${s}.ended_delivery d USING old
            WHERE d.lease = old.lease AND d.version = old.version AND d.n = old.n RETURNING 1
            """);
    sizes =
        of(
            """
            SELECT version, millis, keys, written - purged, ${now},
              pg_total_relation_size($1::text::regclass) FROM ${s}.head WHERE id = 1
            """);
  }

  /**
   * Returns the statement that reads ranges until a budget of bytes is spent. Parameters: starts,
   * ends, limits, which are reverse, which are without values, and the budget. One row more marks
   * where the budget ended.
   */
  private String read(String source, String budget) {
    return of(
        """
        WITH r AS (
          SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::int[], $4::boolean[], $5::boolean[])
            WITH ORDINALITY r(s, e, n, reverse, keys_only, i)),
        found AS (
          SELECT r.i, r.keys_only, x.*, row_number() OVER (PARTITION BY r.i ORDER BY x.key) AS p
          FROM r, LATERAL (SELECT * FROM (${source}) y ORDER BY key LIMIT r.n) x WHERE NOT r.reverse
          UNION ALL
          SELECT r.i, r.keys_only, x.*, row_number() OVER (PARTITION BY r.i ORDER BY x.key DESC) AS p
          FROM r, LATERAL (SELECT * FROM (${source}) y ORDER BY key DESC LIMIT r.n) x WHERE r.reverse),
        sized AS (
          SELECT found.*, sum(octet_length(key)
              + CASE WHEN keys_only THEN 0 ELSE octet_length(value) END) OVER w
              - octet_length(key) - CASE WHEN keys_only THEN 0 ELSE octet_length(value) END AS before
          FROM found WINDOW w AS (ORDER BY i, p)),
        cut AS (
          SELECT sized.*, lag(before, 1, -1::bigint) OVER (ORDER BY i, p) AS earlier FROM sized)
        SELECT h.version AS newest, h.horizon, c.i, c.key, c.version, c.encoding, c.expire_at,
          CASE WHEN c.keys_only OR c.before >= ${budget} THEN NULL ELSE c.value END AS value,
          c.before >= ${budget} AS over, ${now} AS now
        FROM ${s}.head h LEFT JOIN cut c ON c.earlier < ${budget}
        WHERE h.id = 1 ORDER BY c.i, c.p
        """
            .replace("${source}", source.strip())
            .replace("${budget}", budget + "::bigint"));
  }

  /** Returns a text for this store's schema. */
  String of(String text) {
    return text.replace("${s}", schema).replace("${now}", NOW).strip();
  }

  /** Returns the statements that create the schema of a version, or bring the one before to it. */
  String upgrade(int format) {
    String name = "schema-" + format + ".sql";
    try (InputStream in =
        Objects.requireNonNull(PostgresSql.class.getResourceAsStream(name), name)) {
      return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
