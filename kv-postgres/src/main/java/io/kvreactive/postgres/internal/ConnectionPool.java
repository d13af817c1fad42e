package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of connections to one server. Waiting calls are served in order, by whichever connection
 * is free first: a new connection that is refused fails no call while another connection exists.
 * Connections that nobody uses are closed after a time. Thread-safe.
 */
final class ConnectionPool {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionPool.class);

  private static final int MAX_WAITING = 100_000;
  private static final long FIRST_PAUSE_MILLIS = 50;
  private static final long LONGEST_PAUSE_MILLIS = 2000;

  private final Vertx vertx;
  private final int maxSize;
  private final long idleMillis;
  private final Supplier<Future<ServerConnection>> opener;
  private final Set<ServerConnection> all = new HashSet<>();
  private final ArrayDeque<Idle> idle = new ArrayDeque<>(); // the latest used last
  private final ArrayDeque<Call<?>> waiting = new ArrayDeque<>();
  private int opening;
  private boolean pausing; // after a refused connection
  private long pauseMillis = FIRST_PAUSE_MILLIS;
  private boolean evicting;
  private boolean closed;

  private record Idle(ServerConnection connection, long since) {}

  /** A call and its promise, which is completed on the caller's context. */
  private static final class Call<T> {
    final Function<PgConnection, Future<T>> statement;
    final Context caller;
    final Promise<T> promise = Promise.promise();
    volatile long timer;
    @Nullable ServerConnection connection; // guarded by the pool

    Call(Function<PgConnection, Future<T>> statement, Context caller) {
      this.statement = statement;
      this.caller = caller;
    }

    void end(Runnable completion) {
      caller.owner().cancelTimer(timer);
      if (Vertx.currentContext() == caller) {
        completion.run();
      } else {
        caller.runOnContext(ignored -> completion.run());
      }
    }

    void fail(Throwable failure) {
      end(() -> promise.tryFail(failure));
    }
  }

  /**
   * @param opener opens a connection
   */
  ConnectionPool(
      Vertx vertx, int maxSize, long idleMillis, Supplier<Future<ServerConnection>> opener) {
    this.vertx = vertx;
    this.maxSize = maxSize;
    this.idleMillis = idleMillis;
    this.opener = opener;
  }

  /**
   * Runs statements on a connection, which nothing else uses meanwhile. Emits on the context of the
   * caller. Errors: a TimeoutException if there is no answer in time, whereupon the connection is
   * closed; OVERLOADED if too many calls wait.
   */
  <T> Future<T> call(Function<PgConnection, Future<T>> statement, long timeoutMillis) {
    Call<T> call = new Call<>(statement, vertx.getOrCreateContext());
    call.timer = vertx.setTimer(timeoutMillis, fired -> timedOut(call, timeoutMillis));
    synchronized (this) {
      if (closed) {
        call.fail(replaced());
      } else if (waiting.size() >= MAX_WAITING) {
        call.fail(
            new KvException(
                KvErrorCode.OVERLOADED,
                "%d reads wait for a connection (expected: fewer than %d)"
                    .formatted(waiting.size(), MAX_WAITING)));
      } else {
        waiting.add(call);
      }
    }
    serve();
    return call.promise.future();
  }

  /** Another pool may be in use. */
  private static Throwable replaced() {
    return new KnownHead.StaleServerException("the pool is closed");
  }

  private void timedOut(Call<?> call, long millis) {
    ServerConnection stuck;
    synchronized (this) {
      stuck = call.connection;
      waiting.remove(call);
    }
    call.fail(new TimeoutException("no answer in " + millis + " ms"));
    if (stuck != null) {
      discard(stuck);
    }
  }

  /** Starts calls and opens connections for as long as possible. */
  private void serve() {
    boolean more = true;
    while (more) {
      Call<?> next = null;
      ServerConnection connection = null;
      boolean open = false;
      synchronized (this) {
        if (!waiting.isEmpty() && !idle.isEmpty()) {
          next = waiting.remove();
          connection = idle.removeLast().connection;
          next.connection = connection;
        } else if (!pausing && opening < waiting.size() && all.size() + opening < maxSize) {
          open = true;
          opening++;
        }
      }
      if (next != null && connection != null) {
        run(next, connection);
      } else if (open) {
        opener.get().onComplete(this::opened, this::refused);
      } else {
        more = false;
      }
    }
  }

  private <T> void run(Call<T> call, ServerConnection connection) {
    Future<T> answer;
    try {
      answer = call.statement.apply(connection.sql());
    } catch (RuntimeException e) {
      answer = Future.failedFuture(e);
    }
    answer.onComplete(
        result -> {
          release(call, connection);
          call.end(() -> call.promise.tryComplete(result));
        },
        failure -> {
          if (PgFailure.isOfConnection(failure)) {
            discard(connection);
          } else {
            release(call, connection);
          }
          call.fail(failure);
        });
  }

  private void opened(ServerConnection connection) {
    boolean late;
    synchronized (this) {
      opening--;
      pauseMillis = FIRST_PAUSE_MILLIS;
      late = closed;
      if (!late) {
        all.add(connection);
        addIdle(connection);
      }
    }
    if (late) {
      connection.close();
      return;
    }
    connection.sql().closeHandler(ignored -> discard(connection));
    serve();
  }

  /** A connection was refused: waiting calls fail if there is no other connection to wait for. */
  private void refused(Throwable failure) {
    List<Call<?>> failed = new ArrayList<>();
    long pause = 0;
    synchronized (this) {
      opening--;
      if (all.isEmpty() && opening == 0) {
        failed.addAll(waiting);
        waiting.clear();
        pauseMillis = FIRST_PAUSE_MILLIS;
      } else if (!pausing) {
        LOG.debug("no further connection", failure);
        pausing = true;
        pause = pauseMillis;
        pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
      }
    }
    failed.forEach(call -> call.fail(failure));
    if (pause > 0) {
      vertx.setTimer(pause, fired -> resume());
    }
  }

  private void resume() {
    synchronized (this) {
      pausing = false;
    }
    serve();
  }

  private void release(Call<?> call, ServerConnection connection) {
    synchronized (this) {
      call.connection = null;
      if (all.contains(connection)) {
        addIdle(connection);
      }
    }
    serve();
  }

  /** Closes a connection, and opens others if calls wait. */
  private void discard(ServerConnection connection) {
    synchronized (this) {
      if (!all.remove(connection)) {
        return;
      }
      idle.removeIf(each -> each.connection == connection);
    }
    connection.close();
    serve();
  }

  private synchronized void addIdle(ServerConnection connection) {
    idle.addLast(new Idle(connection, System.nanoTime()));
    if (!evicting) {
      evicting = true;
      vertx.setTimer(idleMillis, fired -> evict());
    }
  }

  /** Closes the connections that were not used for a time. */
  private void evict() {
    List<ServerConnection> unused = new ArrayList<>();
    synchronized (this) {
      long now = System.nanoTime();
      while (!idle.isEmpty() && now - idle.getFirst().since >= idleMillis * 1_000_000) {
        ServerConnection connection = idle.removeFirst().connection;
        all.remove(connection);
        unused.add(connection);
      }
      evicting = !closed && !all.isEmpty();
      if (evicting) {
        vertx.setTimer(idleMillis, fired -> evict());
      }
    }
    unused.forEach(ServerConnection::close);
  }

  /** Closes all connections. Calls fail with an error of the connection. */
  Future<Void> close() {
    List<ServerConnection> closing;
    List<Call<?>> ended;
    synchronized (this) {
      closed = true;
      closing = List.copyOf(all);
      ended = List.copyOf(waiting);
      all.clear();
      idle.clear();
      waiting.clear();
    }
    ended.forEach(call -> call.fail(replaced()));
    return Future.join(closing.stream().map(ServerConnection::close).toList()).mapEmpty();
  }
}
