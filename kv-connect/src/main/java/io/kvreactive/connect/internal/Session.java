package io.kvreactive.connect.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The metadata that is used, exchanged anew before it expires and when a server no longer likes it:
 * one exchange at a time, whoever waits for it. Lives on the loop.
 */
final class Session {
  /** However soon a server says that its metadata expires, and whatever the clock says. */
  private static final long LEAST_SECONDS = 60;

  private static final long MARGIN_SECONDS = 600;

  private final MetadataExchange exchange;
  private final Consumer<Metadata> told;
  private @Nullable Metadata metadata;
  private long refreshNanos;
  private long expiryNanos;
  private @Nullable Mono<Metadata> exchanging;

  /**
   * @param told takes what every exchange has told
   */
  Session(MetadataExchange exchange, Consumer<Metadata> told) {
    this.exchange = exchange;
    this.told = told;
  }

  /** What is valid now; waits for an exchange when there is none. Subscribed to on the loop. */
  Mono<Metadata> current() {
    return Mono.defer(
        () -> {
          Metadata known = metadata;
          long now = System.nanoTime();
          if (known == null || now - expiryNanos >= 0) {
            return exchanged();
          }
          if (now - refreshNanos >= 0 && exchanging == null) {
            refreshNanos = now + TimeUnit.SECONDS.toNanos(LEAST_SECONDS); // if it fails
            exchanged().subscribe(ignored -> {}, failed -> {}); // what is known is still valid
          }
          return Mono.just(known);
        });
  }

  /** A server did not like it. */
  void invalidate(Metadata used) {
    if (used.equals(metadata)) {
      metadata = null;
    }
  }

  private Mono<Metadata> exchanged() {
    Mono<Metadata> running = exchanging;
    if (running != null) {
      return running;
    }
    Sinks.One<Metadata> answer = Sinks.one();
    exchanging = answer.asMono();
    Mono<Metadata> waiting = answer.asMono();
    exchange
        .exchange()
        .subscribe(
            fresh -> {
              exchanging = null;
              use(fresh);
              answer.tryEmitValue(fresh);
            },
            failed -> {
              exchanging = null;
              answer.tryEmitError(failed);
            });
    return waiting;
  }

  private void use(Metadata fresh) {
    long seconds =
        Math.max(LEAST_SECONDS, Duration.between(Instant.now(), fresh.expiresAt()).toSeconds());
    long lasting = Math.min(seconds, Duration.ofDays(30).toSeconds());
    long now = System.nanoTime();
    metadata = fresh;
    told.accept(fresh);
    expiryNanos = now + TimeUnit.SECONDS.toNanos(lasting);
    refreshNanos = now + TimeUnit.SECONDS.toNanos(lasting - Math.min(MARGIN_SECONDS, lasting / 2));
  }
}
