package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.connect.internal.AttemptFailure.Kind;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Makes a call, with retries where they are safe and useful: after random pauses whose maximum
 * doubles, until its time has elapsed. There are three kinds of calls:
 *
 * <ul>
 *   <li>an idempotent call, such as a read, is retried after any transient failure;
 *   <li>a commit is retried only after a failure without an effect;
 *   <li>a commit that the server deduplicates is retried like a read. After an attempt that may
 *       have taken effect, only a response can deny the effect.
 * </ul>
 */
final class RetryingCaller {
  /** The conditions of a retry. */
  enum Safety {
    REPEATABLE,
    ONCE,
    ONCE_BY_ID
  }

  /** An attempt, with the metadata that is valid at its time. */
  interface Attempt<T> {
    /**
     * @param endpoint the index of the endpoint, modulo their number
     * @param leftMillis the remaining time
     */
    Mono<T> with(DatabaseMetadata metadata, int endpoint, long leftMillis);
  }

  private final ClientEventLoop loop;
  private final MetadataSession session;
  private final RemoteOptions options;
  private final Set<Call<?>> running = new HashSet<>();
  private int endpoint;
  private boolean closed;

  RetryingCaller(ClientEventLoop loop, MetadataSession session, RemoteOptions options) {
    this.loop = loop;
    this.session = session;
    this.options = options;
  }

  /**
   * Makes a call. Fails with a {@link KvException}, or with an {@link AttemptFailure} of the kind
   * TOO_LARGE.
   */
  <T> Mono<T> run(Safety safety, Attempt<T> attempt) {
    return run(safety, options.budgetMillis(), attempt);
  }

  <T> Mono<T> run(Safety safety, long budgetMillis, Attempt<T> attempt) {
    return Mono.create(
        sink -> {
          Call<T> call = new Call<>(sink, safety, budgetMillis, attempt);
          sink.onCancel(() -> loop.executeIfOpen(call::cancel));
          loop.execute(call::begin);
        });
  }

  /**
   * Ends the calls that wait for a retry. Must be called on the event loop after pending requests
   * have ended.
   */
  void close() {
    closed = true;
    List.copyOf(running).forEach(Call::close);
  }

  /** A call. Confined to the event loop. */
  private final class Call<T> {
    private final MonoSink<T> sink;
    private final Safety safety;
    private final long began = System.nanoTime();
    private final long budgetMillis;
    private final Attempt<T> attempt;
    private int failed;
    private boolean refreshed;
    private @Nullable AttemptFailure unknown;
    private @Nullable Disposable attempts;
    private boolean ended;

    Call(MonoSink<T> sink, Safety safety, long budgetMillis, Attempt<T> attempt) {
      this.sink = sink;
      this.safety = safety;
      this.budgetMillis = budgetMillis;
      this.attempt = attempt;
    }

    void begin() {
      if (ended) {
        return; // cancelled before it began
      }
      running.add(this);
      if (closed) {
        close();
        return;
      }
      Disposable begun =
          next()
              .subscribe(
                  value -> {
                    end();
                    sink.success(value);
                  },
                  failure -> {
                    end();
                    sink.error(failure);
                  });
      attempts = begun;
      if (ended) {
        begun.dispose();
      }
    }

    private void end() {
      ended = true;
      running.remove(this);
    }

    void cancel() {
      end();
      if (attempts != null) {
        attempts.dispose();
      }
    }

    void close() {
      AttemptFailure maybe = unknown;
      cancel();
      sink.error(
          safety == Safety.REPEATABLE || maybe == null ? ClientEventLoop.closed() : shown(maybe));
    }

    private long leftMillis() {
      return budgetMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    }

    private Mono<T> next() {
      return session
          .current()
          .flatMap(
              metadata ->
                  attempt
                      .with(metadata, endpoint, Math.max(1, leftMillis()))
                      .doOnError(
                          AttemptFailure.class,
                          failure -> {
                            if (failure.kind() == Kind.STALE) {
                              session.invalidate(metadata);
                            }
                          }))
          .onErrorResume(AttemptFailure.class, this::failed);
    }

    private Mono<T> failed(AttemptFailure failure) {
      Kind kind = failure.kind();
      if (kind == Kind.TOO_LARGE) {
        return Mono.error(failure);
      }
      if (kind == Kind.UNKNOWN) {
        unknown = failure;
      }
      if (kind == Kind.UNKNOWN || kind == Kind.NOT_DONE) {
        endpoint++;
      }
      if (!again(kind)) {
        return Mono.error(shown(failure));
      }
      long pause = pauseMillis(failure);
      if (pause >= leftMillis()) {
        return Mono.error(shown(failure));
      }
      failed++;
      return (pause == 0 ? Mono.<Void>empty() : loop.pause(pause)).then(Mono.defer(this::next));
    }

    private boolean again(Kind kind) {
      return switch (kind) {
        case NOT_DONE -> true;
        case STALE -> {
          boolean first = !refreshed;
          refreshed = true;
          yield first;
        }
        case UNKNOWN -> safety != Safety.ONCE;
        case TOO_LARGE, FINAL -> false;
      };
    }

    private long pauseMillis(AttemptFailure failure) {
      if (failure.kind() == Kind.STALE) {
        return 0;
      }
      long bound =
          failed < 16
              ? Math.min(options.longestPauseMillis(), options.firstPauseMillis() << failed)
              : options.longestPauseMillis();
      long pause = ThreadLocalRandom.current().nextLong(bound / 2, bound + 1);
      return Math.max(pause, failure.pauseMillis());
    }

    private KvException shown(AttemptFailure last) {
      AttemptFailure maybe = unknown;
      if (safety == Safety.REPEATABLE || maybe == null) {
        return last.shown();
      }
      KvException shown = maybe.shown();
      return shown.code() == KvErrorCode.UNAVAILABLE || shown.code() == KvErrorCode.IO_FAILED
          ? shown
          : new KvException(
              KvErrorCode.UNAVAILABLE, "the outcome is unknown: " + shown.getMessage());
    }
  }
}
