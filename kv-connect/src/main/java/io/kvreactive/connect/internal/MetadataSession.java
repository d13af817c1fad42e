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
final class MetadataSession {
  /** However soon a server says that its metadata expires, and whatever the clock says. */
  private static final long MIN_SECONDS = 60;

  private static final long MARGIN_SECONDS = 600;

  private final MetadataExchange exchange;
  private final Consumer<DatabaseMetadata> told;
  private @Nullable DatabaseMetadata metadata;
  private long refreshNanos;
  private long expiryNanos;
  private @Nullable Mono<DatabaseMetadata> exchanging;

  /**
   * @param told takes what every exchange has told
   */
  MetadataSession(MetadataExchange exchange, Consumer<DatabaseMetadata> told) {
    this.exchange = exchange;
    this.told = told;
  }

  /** What is valid now; waits for an exchange when there is none. Subscribed to on the loop. */
  Mono<DatabaseMetadata> current() {
    return Mono.defer(
        () -> {
          DatabaseMetadata known = metadata;
          long now = System.nanoTime();
          if (known == null || now - expiryNanos >= 0) {
            return exchanged();
          }
          if (now - refreshNanos >= 0 && exchanging == null) {
            refreshNanos = now + TimeUnit.SECONDS.toNanos(MIN_SECONDS); // if it fails
            exchanged().subscribe(ignored -> {}, failed -> {}); // what is known is still valid
          }
          return Mono.just(known);
        });
  }

  /** A server did not like it. */
  void invalidate(DatabaseMetadata used) {
    if (used.equals(metadata)) {
      metadata = null;
    }
  }

  private Mono<DatabaseMetadata> exchanged() {
    Mono<DatabaseMetadata> running = exchanging;
    if (running != null) {
      return running;
    }
    Sinks.One<DatabaseMetadata> answer = Sinks.one();
    exchanging = answer.asMono();
    Mono<DatabaseMetadata> waiting = answer.asMono();
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

  private void use(DatabaseMetadata fresh) {
    long seconds =
        Math.max(MIN_SECONDS, Duration.between(Instant.now(), fresh.expiresAt()).toSeconds());
    long lasting = Math.min(seconds, Duration.ofDays(30).toSeconds());
    long now = System.nanoTime();
    metadata = fresh;
    told.accept(fresh);
    expiryNanos = now + TimeUnit.SECONDS.toNanos(lasting);
    refreshNanos = now + TimeUnit.SECONDS.toNanos(lasting - Math.min(MARGIN_SECONDS, lasting / 2));
  }
}
