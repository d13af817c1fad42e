package io.kvreactive.postgres.internal;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvStats;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.postgres.internal.PostgresQueues.Removal;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The mailbox of commits, and the one connection that writes them.
 *
 * <p>The commits that wait while a group is written form the next group. A group is one transaction
 * in two round trips. The first one locks the head and reads the affected rows. Then {@link
 * GroupEvaluator} computes the rows, and the second round trip writes them and commits. So commits
 * of all engines on a store are applied in the order of their versions. A {@link PlainGroup} takes
 * one round trip.
 *
 * <p>If the connection is lost during a COMMIT, the writer looks up the id of the group on the next
 * connection, under the lock. The lost transaction holds this lock as long as it may still commit.
 * If the id is not found, the group is executed again.
 *
 * <p>Confined to the event loop of the engine, unless stated otherwise.
 */
final class CommitWriter {
  private static final Logger LOG = LoggerFactory.getLogger(CommitWriter.class);
  private static final int MAX_GROUP_COMMITS = 256;
  private static final long MAX_GROUP_BYTES = 4 << 20;

  /** Checks and mutations of a group that are evaluated on the event loop; more on a worker. */
  private static final int MAX_INLINE_STEPS = 2000;

  /** Groups that are written under the lock after another engine has written, or a check failed. */
  private static final int LOCKED_GROUPS = 4;

  private static final int MUTATION_BYTES = 64;
  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final Context context;
  private final PostgresConnections database;
  private final PostgresSql sql;
  private final PostgresOptions options;
  private final KnownHead known;
  private final DatabaseClock clock;
  private final EngineMeter meter = new EngineMeter();
  private final LongConsumer published;

  private final ConcurrentLinkedQueue<Pending> arrived = new ConcurrentLinkedQueue<>();
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile boolean closed;
  private volatile @Nullable KvErrorCode failing;

  private final ArrayDeque<Pending> retained = new ArrayDeque<>(); // before the new ones
  private final Promise<Void> drained = Promise.promise();
  private @Nullable ServerConnection connection;
  private boolean busy;
  private int lockedGroups; // that are to be written under the lock first

  /** A commit that waits. */
  private static final class Pending {
    final Commit commit;
    final boolean sweep;
    final @Nullable Removal undelivered;
    final long bytes;
    final MonoSink<CommitResult> sink;
    final long since = System.nanoTime();
    volatile boolean cancelled;
    boolean alone; // its group has failed

    /**
     * @param sweep true if its deletions are of expired keys only
     * @param undelivered the leased message that is removed with it, or null
     */
    Pending(
        Commit commit,
        boolean sweep,
        @Nullable Removal undelivered,
        long bytes,
        MonoSink<CommitResult> sink) {
      this.commit = commit;
      this.sweep = sweep;
      this.undelivered = undelivered;
      this.bytes = bytes;
      this.sink = sink;
    }
  }

  /** A commit of the group with its result, which is a CommitResult or a KvException. */
  private record Answer(Pending pending, Object result) {}

  /** One transaction and its attempts. */
  private static final class Group {
    final List<Pending> pending;
    final UUID id = UUID.randomUUID();
    final long since = System.nanoTime();
    long pauseMillis = FIRST_PAUSE_MILLIS;
    List<Answer> answers = List.of();
    long before; // version of the head
    long version; // of the last commit
    boolean inDoubt;
    int attempt;

    Group(List<Pending> pending) {
      this.pending = pending;
    }

    /** Returns the group as one of plain commits, or null. Large groups are evaluated elsewhere. */
    @Nullable PlainGroup plain() {
      int steps = 0;
      for (Pending each : pending) {
        steps += each.commit.checks().size() + each.commit.mutations().size();
        if (each.sweep || each.undelivered != null || steps > MAX_INLINE_STEPS) {
          return null;
        }
      }
      return PlainGroup.of(pending.stream().map(each -> each.commit).toList());
    }

    /** Fails what an attempt was about to do if it was given up, and another one is under way. */
    <T> Future<T> ifCurrent(int number, Supplier<Future<T>> next) {
      return number == attempt
          ? next.get()
          : Future.failedFuture(new TimeoutException("an earlier attempt"));
    }
  }

  /**
   * @param published receives the newest version after each group, on the event loop
   */
  CommitWriter(
      Context context,
      PostgresConnections database,
      PostgresSql sql,
      PostgresOptions options,
      KnownHead known,
      DatabaseClock clock,
      LongConsumer published) {
    this.context = context;
    this.database = database;
    this.sql = sql;
    this.options = options;
    this.known = known;
    this.clock = clock;
    this.published = published;
  }

  /** Applies a commit. Thread-safe. Errors: OVERLOADED, CLOSED, and those of the commit. */
  Mono<CommitResult> commit(Commit commit) {
    return Mono.create(sink -> submit(commit, sink));
  }

  private void submit(Commit commit, MonoSink<CommitResult> sink) {
    long size = bytes(commit);
    int ahead = commits.get();
    long bytesAhead = bytes.get();
    if (ahead >= options.maxQueuedCommits()
        || ahead > 0 && bytesAhead + size > options.maxQueuedBytes()) {
      meter.refused();
      sink.error(
          new KvException(
              KvErrorCode.OVERLOADED,
              "%d commits of %d bytes wait (expected: at most %d of %d bytes)"
                  .formatted(
                      ahead, bytesAhead, options.maxQueuedCommits(), options.maxQueuedBytes())));
      return;
    }
    add(new Pending(commit, false, null, size, sink));
  }

  /** Deletes those of some keys that have expired. Thread-safe. */
  Mono<CommitResult> sweep(List<byte[]> keys) {
    List<Mutation> deletions = new ArrayList<>();
    keys.forEach(key -> deletions.add(new Mutation.Delete(key)));
    Commit commit = new Commit(List.of(), deletions);
    return Mono.create(sink -> add(new Pending(commit, true, null, 0, sink)));
  }

  /** Replaces a leased message by entries under its keys. Thread-safe. Error: LEASE_LOST. */
  Mono<CommitResult> undelivered(Removal removal, Commit commit) {
    return Mono.create(sink -> add(new Pending(commit, false, removal, 0, sink)));
  }

  private static long bytes(Commit commit) {
    long sum = (long) MUTATION_BYTES * commit.checks().size();
    for (Mutation mutation : commit.mutations()) {
      sum += MUTATION_BYTES + mutation.key().length;
      KvValue value = mutation.value();
      sum += value == null ? 0 : value.bytes().length;
    }
    for (Enqueue enqueue : commit.enqueues()) {
      sum += MUTATION_BYTES + enqueue.payload().bytes().length;
    }
    return sum;
  }

  private void add(Pending pending) {
    if (closed) {
      pending.sink.error(PostgresConnections.closed());
      return;
    }
    commits.incrementAndGet();
    bytes.addAndGet(pending.bytes);
    pending.sink.onCancel(() -> pending.cancelled = true);
    arrived.add(pending);
    if (scheduled.compareAndSet(false, true)) {
      context.runOnContext(ignored -> drain());
    }
  }

  private void drain() {
    scheduled.set(false);
    if (busy) {
      return;
    }
    Group group = new Group(take());
    if (group.pending.isEmpty()) {
      if (closed) {
        drained.tryComplete();
      }
      return;
    }
    busy = true;
    write(group);
  }

  /** Takes the commits of the next group. */
  private List<Pending> take() {
    List<Pending> group = new ArrayList<>();
    long size = 0;
    while (group.size() < MAX_GROUP_COMMITS && size < MAX_GROUP_BYTES) {
      Pending next = retained.isEmpty() ? arrived.peek() : retained.peek();
      if (next == null || next.alone && !group.isEmpty()) {
        break;
      }
      var unused = retained.isEmpty() ? arrived.poll() : retained.poll();
      if (next.cancelled) {
        removePending(next);
      } else if (isLate(next.since)) {
        fail(next, unreachable("nothing was done", null));
      } else {
        group.add(next);
        size += next.bytes;
        if (next.alone) {
          break;
        }
      }
    }
    return group;
  }

  private boolean isLate(long since) {
    return System.nanoTime() - since > options.requestTimeout().toNanos();
  }

  private static KvException unreachable(String outcome, @Nullable Throwable cause) {
    return new KvException(
        KvErrorCode.UNAVAILABLE, "PostgreSQL could not be reached in time; " + outcome, cause);
  }

  private void removePending(Pending pending) {
    commits.decrementAndGet();
    bytes.addAndGet(-pending.bytes);
  }

  private void fail(Pending pending, KvException failure) {
    removePending(pending);
    pending.sink.error(failure);
  }

  // ---- attempts

  private void write(Group group) {
    group.attempt++;
    database
        .timed(
            connection().compose(own -> group.inDoubt ? resolve(own, group) : attempt(own, group)))
        .onComplete(done -> answered(group), failure -> failed(group, failure));
  }

  private Future<PgConnection> connection() {
    ServerConnection open = connection;
    if (open != null) {
      return Future.succeededFuture(open.sql());
    }
    return database
        .connect()
        .map(
            opened -> {
              connection = opened;
              opened
                  .sql()
                  .closeHandler(
                      ignored -> {
                        if (connection == opened) {
                          connection = null;
                          opened.close();
                        }
                      });
              return opened.sql();
            });
  }

  private void answered(Group group) {
    failing = null;
    group.answers.forEach(
        answer -> {
          removePending(answer.pending);
          if (answer.result instanceof CommitResult result) {
            meter.answered(!result.committed(), System.nanoTime() - answer.pending.since);
            answer.pending.sink.success(result);
          } else {
            answer.pending.sink.error((KvException) answer.result);
          }
        });
    busy = false;
    if (group.version > group.before) {
      published.accept(group.version);
    }
    drain();
  }

  private void failed(Group group, Throwable failure) {
    boolean ofCommit = failure instanceof KvException;
    // a group with an unknown outcome is looked up until its deadline, despite any error
    if (PgFailure.isTransient(failure) || !ofCommit && (connection == null || group.inDoubt)) {
      again(group, failure);
      return;
    }
    KvException shown = PgFailure.shown(failure);
    failing = shown.code();
    if (group.pending.size() == 1 || known.isRefused()) {
      group.pending.forEach(pending -> fail(pending, shown));
    } else { // one of them may be the cause
      for (int i = group.pending.size() - 1; i >= 0; i--) {
        group.pending.get(i).alone = true;
        retained.addFirst(group.pending.get(i));
      }
    }
    busy = false;
    drain();
  }

  private void again(Group group, Throwable failure) {
    failing = KvErrorCode.UNAVAILABLE;
    ServerConnection lost = connection;
    if (lost != null && PgFailure.isOfConnection(failure)) {
      connection = null;
      lost.close();
    }
    LOG.debug("writing a group of {} commits failed", group.pending.size(), failure);
    if (isLate(group.since)) {
      KvException shown =
          unreachable(
              group.inDoubt
                  ? "the outcome is unknown, and a commit with an id may be repeated"
                  : "nothing was done",
              failure);
      group.pending.forEach(pending -> fail(pending, shown));
      busy = false;
      drain();
      return;
    }
    long pause = group.pauseMillis;
    group.pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
    context.owner().setTimer(pause, fired -> context.runOnContext(ignored -> write(group)));
  }

  /**
   * Looks up whether a group was committed, and makes it again if not. Then a version is skipped,
   * so that a statement of {@link PlainGroup} that the server has not begun yet has no effect.
   */
  private Future<Void> resolve(PgConnection own, Group group) {
    int number = group.attempt;
    Tuple parameters = Tuple.of(group.version, group.id);
    Future<?> begin = own.query("BEGIN ISOLATION LEVEL READ COMMITTED").execute();
    Future<?> lock = own.preparedQuery(sql.lockHead).execute();
    Future<RowSet<Row>> found = own.preparedQuery(sql.findBatch).execute(parameters);
    Future<?> skip = own.preparedQuery(sql.skipVersion).execute(parameters);
    Future<?> end = own.query("COMMIT").execute();
    lockedGroups = LOCKED_GROUPS;
    return Future.join(List.of(begin, lock, found, skip, end))
        .compose(
            ignored ->
                group.ifCurrent(
                    number,
                    () -> {
                      group.inDoubt = false;
                      if (found.result().size() > 0) {
                        known.see(group.version);
                        return Future.succeededFuture();
                      }
                      return attempt(own, group);
                    }));
  }

  // ---- a transaction

  private Future<Void> attempt(PgConnection own, Group group) {
    PlainGroup plain = lockedGroups > 0 ? null : group.plain();
    if (plain != null) {
      return attempt(own, group, plain);
    }
    lockedGroups = Math.max(0, lockedGroups - 1);
    return attemptLocked(own, group);
  }

  /** Writes a group in one round trip, if no other engine has written and its checks pass. */
  private Future<Void> attempt(PgConnection own, Group group, PlainGroup plain) {
    long requested = System.currentTimeMillis();
    long began = System.nanoTime();
    int number = group.attempt;
    group.before = known.newest();
    group.version = group.before + plain.commits();
    group.answers = answers(group);
    group.inDoubt = true;
    return plain
        .send(own, sql, known.history(), group.before, group.id)
        .recover(
            failure -> {
              group.inDoubt &= number != group.attempt || PgFailure.isOfConnection(failure);
              return Future.failedFuture(failure);
            })
        .compose(
            rows ->
                group.ifCurrent(
                    number,
                    () -> {
                      group.inDoubt = false;
                      if (rows.size() == 0) {
                        lockedGroups = LOCKED_GROUPS;
                        return attemptLocked(own, group);
                      }
                      clock.observe(rows.iterator().next().getLong(0), requested);
                      known.see(group.version);
                      meter.committed(plain.commits(), System.nanoTime() - began);
                      return Future.succeededFuture();
                    }));
  }

  private static List<Answer> answers(Group group) {
    List<Answer> answers = new ArrayList<>();
    long version = group.before;
    for (Pending pending : group.pending) {
      answers.add(new Answer(pending, CommitResult.committed(Versionstamp.of(++version))));
    }
    return answers;
  }

  private Future<Void> attemptLocked(PgConnection own, Group group) {
    long requested = System.currentTimeMillis();
    int number = group.attempt;
    GroupReading reading =
        new GroupReading(
            own,
            sql,
            group.pending.stream().map(pending -> pending.commit).toList(),
            group.pending.stream()
                .flatMap(pending -> Stream.ofNullable(pending.undelivered))
                .toList());
    return reading
        .done()
        .compose(
            read -> {
              clock.observe(reading.now(), requested);
              return group.ifCurrent(
                  number,
                  () ->
                      reading.steps() <= MAX_INLINE_STEPS
                          ? Future.succeededFuture(evaluate(reading, group))
                          : context.executeBlocking(() -> evaluate(reading, group)));
            })
        .compose(evaluator -> group.ifCurrent(number, () -> publish(own, group, evaluator)))
        .recover(
            failure -> {
              if (connection != null
                  && connection.sql() == own
                  && number == group.attempt
                  && !group.inDoubt) {
                own.query("ROLLBACK").execute().onFailure(LOST);
              }
              return Future.failedFuture(failure);
            });
  }

  private static final Handler<Throwable> LOST =
      failure -> LOG.debug("the connection is lost", failure);

  private GroupEvaluator evaluate(GroupReading reading, Group group) {
    GroupEvaluator evaluator = reading.evaluator(known);
    if (group.pending.size() > 1 && reading.lacksValues()) {
      throw GroupEvaluator.tooLarge(); // each commit is written alone
    }
    group.before = reading.version();
    List<Answer> answers = new ArrayList<>();
    for (Pending pending : group.pending) {
      boolean large = evaluator.isLarge(pending.commit);
      if (large && !answers.isEmpty()) {
        break; // the next group begins with it
      }
      answers.add(new Answer(pending, result(reading, evaluator, pending)));
      if (large) {
        break;
      }
    }
    group.answers = answers;
    group.version = evaluator.version();
    return evaluator;
  }

  private static Object result(GroupReading reading, GroupEvaluator evaluator, Pending pending) {
    try {
      Removal removal = pending.undelivered;
      if (removal != null && !reading.isRemoved(removal)) {
        return PostgresQueues.lost(removal.token());
      }
      return evaluator.add(pending.commit, pending.sweep);
    } catch (KvException e) {
      return e;
    }
  }

  private Future<Void> publish(PgConnection own, Group group, GroupEvaluator evaluator) {
    retainUnanswered(group);
    boolean removals = group.pending.stream().anyMatch(pending -> pending.undelivered != null);
    if (group.version == group.before && !removals) {
      own.query("ROLLBACK").execute().onFailure(LOST);
      return Future.succeededFuture();
    }
    List<Future<?>> sent = new ArrayList<>();
    group.inDoubt = group.version > group.before;
    if (group.inDoubt) {
      sent.addAll(GroupPublication.send(own, sql, evaluator, group.id));
    }
    int number = group.attempt;
    long began = System.nanoTime();
    Future<?> commit = own.query("COMMIT").execute();
    sent.add(commit);
    return Future.join(sent)
        .recover(
            failure -> {
              // a statement that was refused makes of COMMIT a ROLLBACK
              group.inDoubt &= number != group.attempt || PgFailure.isOfConnection(failure);
              return Future.failedFuture(failure);
            })
        .compose(done -> group.ifCurrent(number, () -> Future.succeededFuture(done)))
        .map(
            done -> {
              group.inDoubt = false;
              known.see(group.version);
              meter.committed(group.version - group.before, System.nanoTime() - began);
              return null;
            });
  }

  private void retainUnanswered(Group group) {
    int answered = group.answers.size();
    List<Pending> rest = group.pending.subList(answered, group.pending.size());
    for (int i = rest.size() - 1; i >= 0; i--) {
      retained.addFirst(rest.get(i));
    }
    rest.clear();
  }

  // ---- statistics and the end

  KvStats.Commits stats() {
    return meter.stats(commits.get(), bytes.get());
  }

  /** Returns why commits fail now, or null if nothing is wrong. */
  @Nullable KvErrorCode failing() {
    return failing;
  }

  /** Returns true if no commit waits. */
  boolean isIdle() {
    return commits.get() == 0 && !busy;
  }

  /** Closes the connection until the next commit. Must not be called with commits waiting. */
  void disconnect() {
    ServerConnection open = connection;
    connection = null;
    if (open != null) {
      open.close();
    }
  }

  /** Rejects further commits. Completes when all waiting commits are answered. */
  Future<Void> close() {
    closed = true;
    drain();
    return drained
        .future()
        .compose(
            ignored -> {
              ServerConnection open = connection;
              connection = null;
              return open == null ? Future.succeededFuture() : open.close();
            });
  }
}
