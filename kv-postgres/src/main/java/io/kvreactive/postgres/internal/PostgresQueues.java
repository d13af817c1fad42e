package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Finish;
import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.QueueStats;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * All queues of a store. Messages, deliveries and leases are rows. Waiting claims are in memory. A
 * queue with waiting claims is read when the store advances, when a message becomes due, and every
 * second. Confined to the event loop of the engine.
 */
final class PostgresQueues {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresQueues.class);
  private static final int MAX_CLAIMED = 256;
  private static final long MAX_CLAIMED_BYTES = 4 << 20;
  private static final int MAX_LAPSED = 256;
  private static final long MAX_WAIT_MILLIS = 1000;
  private static final long MAX_LEASE_MILLIS = TimeUnit.DAYS.toMillis(365);

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final CommitWriter writer;
  private final KvLimits limits;
  private final Runnable notification;
  private final Map<String, Waiters> queues = new HashMap<>();
  private final Set<LeaseToken> held = new HashSet<>();
  private List<Ack> acks = new ArrayList<>();
  private boolean acking;
  private int claiming; // statements whose messages are not known yet
  private final Promise<Void> claimsEnded = Promise.promise(); // all of them, once closed
  private boolean closed;

  /** Kinds of ended deliveries, as they are stored. */
  private static final short ACKED = 1;

  private static final short RETRIED = 2;
  private static final short RELEASED = 3;

  /**
   * The removal of a leased message by a commit.
   *
   * @param repeatable true if a consumer ends the delivery, and may repeat that
   */
  record Removal(LeaseToken token, boolean repeatable) {}

  private record Ack(LeaseToken token, Promise<Void> done) {}

  /** A request for messages that waits. */
  private static final class Waiting {
    final int max;
    final long leaseMillis;
    final MonoSink<List<LeasedMessage>> sink;
    volatile boolean cancelled;

    Waiting(int max, long leaseMillis, MonoSink<List<LeasedMessage>> sink) {
      this.max = max;
      this.leaseMillis = leaseMillis;
      this.sink = sink;
    }
  }

  /** The claims that wait for messages of one queue. */
  private static final class Waiters {
    final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    boolean asking;
    boolean askAgain;
    long timer = -1;
  }

  /**
   * @param notification notifies other engines of a ready message
   */
  PostgresQueues(
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      CommitWriter writer,
      KvLimits limits,
      Runnable notification) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.writer = writer;
    this.limits = limits;
    this.notification = notification;
  }

  // ---- claims

  /** See {@link io.kvreactive.spi.KvEngine#claim}. Thread-safe. */
  Mono<List<LeasedMessage>> claim(String queue, int max, long leaseMillis) {
    return Mono.create(
        sink -> {
          checkName(queue);
          Waiting waiting =
              new Waiting(
                  Math.min(max, MAX_CLAIMED), Math.min(leaseMillis, MAX_LEASE_MILLIS), sink);
          sink.onCancel(
              () -> {
                waiting.cancelled = true;
                context.runOnContext(ignored -> removeQueue(queue));
              });
          context.runOnContext(ignored -> add(queue, waiting));
        });
  }

  private void checkName(String queue) {
    int bytes;
    try {
      bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(queue)).remaining();
    } catch (CharacterCodingException e) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "name of a queue: \"" + queue + "\" (expected: text without lone surrogates)",
          e);
    }
    if (bytes > limits.maxQueueNameBytes()) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "name of a queue of %d bytes (expected: at most %d)"
              .formatted(bytes, limits.maxQueueNameBytes()));
    }
  }

  private void add(String queue, Waiting waiting) {
    if (closed) {
      waiting.sink.error(PostgresConnections.closed());
    } else if (!waiting.cancelled) {
      queues.computeIfAbsent(queue, name -> new Waiters()).waiting.add(waiting);
      serve(queue);
    }
  }

  private void removeQueue(String queue) {
    Waiters waiters = queues.get(queue);
    if (waiters != null) {
      waiters.waiting.removeIf(waiting -> waiting.cancelled);
      if (waiters.waiting.isEmpty() && !waiters.asking) {
        context.owner().cancelTimer(waiters.timer);
        queues.remove(queue);
      }
    }
  }

  /** Asks for messages of all queues that somebody waits for. */
  void wake() {
    List.copyOf(queues.keySet()).forEach(this::serve);
  }

  /** Returns true if claims wait for messages. */
  boolean isWaitedFor() {
    return !queues.isEmpty();
  }

  private void serve(String queue) {
    removeQueue(queue);
    Waiters waiters = queues.get(queue);
    if (waiters == null || closed) {
      return;
    }
    if (waiters.asking) {
      waiters.askAgain = true;
      return;
    }
    waiters.asking = true;
    waiters.askAgain = false;
    Waiting first = waiters.waiting.remove();
    long lease = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
    Buffer name = Buffer.buffer(queue.getBytes(StandardCharsets.UTF_8));
    claiming++;
    AtomicBoolean repeated = new AtomicBoolean();
    database
        .repeated(
            attempt -> {
              repeated.set(attempt > 1);
              return attempt == 1 ? claimOnce(name, first, lease) : claimAgain(name, first, lease);
            })
        .onComplete(
            rows ->
                context.runOnContext(
                    ignored -> {
                      claimed(queue, waiters, first, rows, lease, repeated.get());
                      endClaim();
                    }),
            failure ->
                context.runOnContext(
                    ignored -> {
                      waiters.asking = false;
                      KvException shown = PgFailure.shown(failure);
                      first.sink.error(shown);
                      if (shown.code() == KvErrorCode.UNAVAILABLE) {
                        abandon(queue, lease, System.nanoTime(), first.leaseMillis);
                      }
                      serve(queue);
                      endClaim();
                    }));
  }

  private Future<RowSet<Row>> claimOnce(Buffer queue, Waiting claim, long lease) {
    return database.once(
        sql.claim, Tuple.of(queue, claim.max, lease, claim.leaseMillis).addLong(MAX_CLAIMED_BYTES));
  }

  /**
   * Repeats a claim whose answer was lost. From the first statement on, an earlier attempt takes no
   * messages any more. Those that it has taken are the answer; if there are none, the next claim
   * has another number.
   */
  private Future<RowSet<Row>> claimAgain(Buffer queue, Waiting claim, long lease) {
    return database
        .once(sql.closeClaim, Tuple.of(lease))
        .compose(done -> database.once(sql.claimed, Tuple.of(queue, lease, claim.leaseMillis)));
  }

  /** Returns the messages of a claim with an unknown outcome, if their lease lasts that long. */
  private void abandon(String queue, long lease, long since, long leaseMillis) {
    Buffer name = Buffer.buffer(queue.getBytes(StandardCharsets.UTF_8));
    long left = leaseMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - since);
    if (closed || left <= 0) {
      return;
    }
    database
        .execute(sql.closeClaim, Tuple.of(lease))
        .compose(done -> database.execute(sql.claimed, Tuple.of(name, lease, left)))
        .onComplete(
            rows -> {
              if (rows.size() > 0) {
                giveBack(messages(queue, rows, lease).stream().map(LeasedMessage::token).toList());
              }
            },
            failure ->
                context
                    .owner()
                    .setTimer(
                        MAX_WAIT_MILLIS,
                        fired ->
                            context.runOnContext(at -> abandon(queue, lease, since, leaseMillis))));
  }

  private void endClaim() {
    claiming--;
    if (closed && claiming == 0) {
      claimsEnded.tryComplete();
    }
  }

  private void claimed(
      String queue,
      Waiters waiters,
      Waiting first,
      RowSet<Row> rows,
      long lease,
      boolean repeated) {
    waiters.asking = false;
    if (rows.size() == 0) {
      if (closed) {
        first.sink.error(PostgresConnections.closed());
        return;
      }
      waiters.waiting.addFirst(first);
      if (waiters.askAgain || repeated) {
        serve(queue);
      } else {
        awaitNext(queue, waiters);
      }
      return;
    }
    List<LeasedMessage> messages = messages(queue, rows, lease);
    messages.forEach(message -> held.add(message.token()));
    if (closed) { // close() gives the messages back
      first.sink.error(PostgresConnections.closed());
    } else if (first.cancelled) {
      giveBack(messages.stream().map(LeasedMessage::token).toList());
    } else {
      first.sink.success(messages);
    }
    serve(queue);
  }

  private static List<LeasedMessage> messages(String queue, RowSet<Row> rows, long lease) {
    TreeMap<Place, LeasedMessage> messages = new TreeMap<>();
    for (Row row : rows) {
      LeaseToken token =
          new LeaseToken(queue, QueueRow.id(row.getLong(0), row.getInteger(1)), lease);
      int attempt = row.getInteger(3);
      QueueRow redelivery = QueueRow.read(row.getBuffer(5).getBytes());
      messages.put(
          new Place(row.getLong(2), token.id()),
          new LeasedMessage(
              token,
              new KvValue(KvValue.Encoding.of(row.getShort(6)), row.getBuffer(7).getBytes()),
              attempt,
              redelivery.isLast(attempt),
              row.getLong(4)));
    }
    return List.copyOf(messages.values());
  }

  /** The place of a message in its queue. */
  private record Place(long readyAt, String id) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byTime = Long.compare(readyAt, other.readyAt);
      return byTime != 0 ? byTime : id.compareTo(other.id);
    }
  }

  private void awaitNext(String queue, Waiters waiters) {
    Buffer name = Buffer.buffer(queue.getBytes(StandardCharsets.UTF_8));
    context.owner().cancelTimer(waiters.timer);
    waiters.timer =
        context
            .owner()
            .setTimer(MAX_WAIT_MILLIS, fired -> context.runOnContext(at -> serve(queue)));
    database
        .execute(sql.nextReady, Tuple.of(name))
        .onSuccess(
            rows -> {
              Long millis = rows.iterator().next().getLong(0);
              if (millis != null && millis < MAX_WAIT_MILLIS) {
                context
                    .owner()
                    .setTimer(
                        Math.max(1, millis), fired -> context.runOnContext(at -> serve(queue)));
              }
            })
        .onFailure(failure -> LOG.debug("the next message is looked for later", failure));
  }

  // ---- leases

  /** See {@link io.kvreactive.spi.KvEngine#extend}. */
  Future<List<LeaseToken>> extend(List<LeaseToken> leases, long leaseMillis) {
    if (leases.isEmpty()) {
      return Future.succeededFuture(List.of());
    }
    Tuple parameters = tuple(leases).addLong(Math.min(leaseMillis, MAX_LEASE_MILLIS));
    return database
        .execute(sql.extend, parameters)
        .map(
            rows -> {
              Set<Delivery> kept = deliveries(rows);
              return leases.stream().filter(lease -> !kept.contains(Delivery.of(lease))).toList();
            });
  }

  private static Tuple tuple(List<LeaseToken> leases) {
    return Tuple.of(
        leases.stream().map(lease -> QueueRow.version(lease.id())).toArray(Long[]::new),
        leases.stream().map(lease -> QueueRow.number(lease.id())).toArray(Integer[]::new),
        leases.stream().map(LeaseToken::lease).toArray(Long[]::new));
  }

  private static Tuple tuple(LeaseToken lease) {
    return Tuple.of(QueueRow.version(lease.id()), QueueRow.number(lease.id()), lease.lease());
  }

  /** A message and the number of its lease. */
  private record Delivery(String id, long lease) {
    static Delivery of(LeaseToken token) {
      return new Delivery(token.id(), token.lease());
    }
  }

  private static Set<Delivery> deliveries(RowSet<Row> rows) {
    Set<Delivery> deliveries = new HashSet<>();
    for (Row row : rows) {
      deliveries.add(new Delivery(QueueRow.id(row.getLong(0), row.getInteger(1)), row.getLong(2)));
    }
    return deliveries;
  }

  /**
   * Emits the deliveries that have ended in a way: those of an answer, and those that an earlier
   * attempt of this request has ended.
   */
  private Future<Set<Delivery>> ended(List<LeaseToken> tokens, RowSet<Row> answer, short kind) {
    Set<Delivery> ended = deliveries(answer);
    List<LeaseToken> others =
        tokens.stream().filter(token -> !ended.contains(Delivery.of(token))).toList();
    return others.isEmpty()
        ? Future.succeededFuture(ended)
        : database
            .execute(sql.ended, tuple(others).addShort(kind))
            .map(
                rows -> {
                  ended.addAll(deliveries(rows));
                  return ended;
                });
  }

  private Future<Void> endedBefore(LeaseToken token, short kind) {
    return database
        .execute(sql.ended, tuple(List.of(token)).addShort(kind))
        .compose(
            rows -> rows.size() == 0 ? Future.failedFuture(lost(token)) : Future.succeededFuture());
  }

  static KvException lost(LeaseToken token) {
    return new KvException(
        KvErrorCode.LEASE_LOST,
        "message %s of queue \"%s\" (expected: to be finished once, while its lease lasts)"
            .formatted(token.id(), token.queue()));
  }

  /** See {@link io.kvreactive.spi.KvEngine#finish}. Must be called on the event loop. */
  Future<Void> finish(LeaseToken token, Finish how) {
    if (how instanceof Finish.Ack) {
      Promise<Void> done = Promise.promise();
      acks.add(new Ack(token, done));
      sendAcks();
      return done.future();
    }
    if (how instanceof Finish.Retry retry) {
      checkWait(retry);
      return retry(token, retry.afterMillis(), true);
    }
    return database
        .execute(sql.release, tuple(List.of(token)))
        .compose(
            rows ->
                rows.size() == 0 ? endedBefore(token, RELEASED) : Future.<Void>succeededFuture())
        .onSuccess(released -> context.runOnContext(ignored -> ready(token)));
  }

  private void checkWait(Finish.Retry retry) {
    Long wait = retry.afterMillis();
    long most = TimeUnit.SECONDS.toMillis(limits.maxDelaySeconds());
    if (wait != null && (wait < 0 || wait > most)) {
      throw new KvException(
          wait < 0 ? KvErrorCode.INVALID_ARGUMENT : KvErrorCode.LIMIT_EXCEEDED,
          "time until the next delivery: %d ms (expected: 0 to %d)".formatted(wait, most));
    }
  }

  /** A message is ready, now or later. */
  private void ready(LeaseToken token) {
    held.remove(token);
    serve(token.queue());
    notification.run();
  }

  private void sendAcks() {
    if (acking || acks.isEmpty()) {
      return;
    }
    acking = true;
    List<Ack> batch = acks;
    acks = new ArrayList<>();
    List<LeaseToken> tokens = batch.stream().map(Ack::token).toList();
    database
        .execute(sql.ack, tuple(tokens))
        .compose(rows -> ended(tokens, rows, ACKED))
        .onComplete(
            ended -> context.runOnContext(ignored -> acknowledged(batch, ended)),
            failure ->
                context.runOnContext(
                    ignored -> {
                      batch.forEach(ack -> ack.done.fail(PgFailure.shown(failure)));
                      acking = false;
                      sendAcks();
                    }));
  }

  private void acknowledged(List<Ack> batch, Set<Delivery> removed) {
    for (Ack ack : batch) {
      held.remove(ack.token);
      if (removed.contains(Delivery.of(ack.token))) {
        ack.done.complete();
      } else {
        ack.done.fail(lost(ack.token));
      }
    }
    acking = false;
    sendAcks();
  }

  /**
   * Ends a failed delivery: the message waits for the next delivery, or is written to its keys for
   * undelivered messages.
   *
   * @param afterMillis the time until the next delivery, or null for the backoff of the message
   * @param valid true if the lease must not have lapsed: a consumer ends the delivery, and may
   *     repeat that
   */
  private Future<Void> retry(LeaseToken token, @Nullable Long afterMillis, boolean valid) {
    return database
        .execute(sql.leased, tuple(token))
        .compose(
            rows -> {
              if (rows.size() == 0 || valid && !rows.iterator().next().getBoolean(4)) {
                return endedBefore(token, RETRIED);
              }
              Row row = rows.iterator().next();
              int attempt = row.getInteger(0);
              QueueRow redelivery = QueueRow.read(row.getBuffer(1).getBytes());
              if (!redelivery.isLast(attempt)) {
                long wait =
                    afterMillis == null ? redelivery.backoff().get(attempt - 1) : afterMillis;
                return database
                    .execute(sql.redeliver, tuple(token).addLong(wait).addBoolean(valid))
                    .onSuccess(done -> context.runOnContext(ignored -> ready(token)))
                    .<Void>mapEmpty();
              }
              if (redelivery.undelivered().isEmpty()) {
                return database
                    .execute(sql.removeLeased, tuple(token).addBoolean(valid))
                    .<Void>mapEmpty();
              }
              KvValue payload =
                  new KvValue(KvValue.Encoding.of(row.getShort(2)), row.getBuffer(3).getBytes());
              return undelivered(token, valid, redelivery, payload);
            })
        .onSuccess(done -> context.runOnContext(ignored -> held.remove(token)));
  }

  private Future<Void> undelivered(
      LeaseToken token, boolean repeatable, QueueRow redelivery, KvValue payload) {
    List<Mutation> sets = new ArrayList<>();
    redelivery.undelivered().forEach(key -> sets.add(new Mutation.Set(key, payload)));
    Promise<Void> done = Promise.promise();
    writer
        .undelivered(new Removal(token, repeatable), new Commit(List.of(), sets))
        .subscribe(committed -> done.complete(), done::fail);
    return done.future();
  }

  /** Ends the deliveries whose leases have lapsed. Emits true if there may be more. */
  Future<Boolean> endLapsed() {
    return database
        .execute(sql.lapsed, Tuple.of(MAX_LAPSED))
        .compose(
            rows -> {
              Future<Void> all = Future.succeededFuture();
              for (Row row : rows) {
                String queue = new String(row.getBuffer(3).getBytes(), StandardCharsets.UTF_8);
                LeaseToken token =
                    new LeaseToken(
                        queue, QueueRow.id(row.getLong(0), row.getInteger(1)), row.getLong(2));
                all = all.compose(done -> retry(token, null, false).otherwiseEmpty());
              }
              return all.map(done -> rows.size() == MAX_LAPSED);
            });
  }

  private void giveBack(List<LeaseToken> leases) {
    database
        .execute(sql.release, tuple(leases))
        .onSuccess(done -> context.runOnContext(ignored -> leases.forEach(this::ready)))
        .onFailure(failure -> LOG.debug("giving back failed; the leases lapse", failure));
  }

  // ---- statistics and the end

  /** See {@link io.kvreactive.spi.KvEngine#queueStats}. */
  Future<List<QueueStats>> stats() {
    Map<String, Integer> consumers = new TreeMap<>();
    queues.forEach((name, waiters) -> consumers.put(name, waiting(waiters)));
    return database
        .execute(sql.queueStats, Tuple.of(QueueStats.MAX_COUNTED))
        .map(
            rows -> {
              TreeMap<String, QueueStats> all = new TreeMap<>();
              consumers.forEach(
                  (name, waiting) -> all.put(name, new QueueStats(name, 0, 0, 0, 0, waiting)));
              for (Row row : rows) {
                String name = new String(row.getBuffer(0).getBytes(), StandardCharsets.UTF_8);
                Long oldest = row.getLong(4);
                all.put(
                    name,
                    new QueueStats(
                        name,
                        row.getLong(1),
                        (int) Math.min(QueueStats.MAX_COUNTED, row.getLong(2)),
                        row.getLong(3).intValue(),
                        oldest == null ? 0 : Math.max(0, oldest),
                        consumers.getOrDefault(name, 0)));
              }
              return List.copyOf(all.values());
            });
  }

  private static int waiting(Waiters waiters) {
    return waiters.waiting.size() + (waiters.asking ? 1 : 0);
  }

  /** Ends waiting claims, and returns leased messages without counting their deliveries. */
  Future<Void> close() {
    closed = true;
    queues
        .values()
        .forEach(
            waiters -> {
              context.owner().cancelTimer(waiters.timer);
              waiters.waiting.forEach(waiting -> waiting.sink.error(PostgresConnections.closed()));
            });
    queues.clear();
    if (claiming == 0) {
      claimsEnded.tryComplete();
    }
    return claimsEnded.future().compose(done -> releaseHeld());
  }

  private Future<Void> releaseHeld() {
    List<LeaseToken> leases = List.copyOf(held);
    held.clear();
    return leases.isEmpty()
        ? Future.succeededFuture()
        : database.execute(sql.release, tuple(leases)).<Void>mapEmpty().otherwiseEmpty();
  }
}
