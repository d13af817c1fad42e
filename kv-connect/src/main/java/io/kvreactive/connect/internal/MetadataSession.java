package io.kvreactive.connect.internal;

import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Caches the metadata. Repeats the exchange before the metadata expires and when a server rejects
 * it; concurrent callers share one exchange. Confined to the event loop.
 */
final class MetadataSession {
  /** Minimum validity of metadata, regardless of the server's expiry and of the clock. */
  private static final long MIN_SECONDS = 60;

  private static final long MARGIN_SECONDS = 600;

  private final MetadataExchange exchange;
  private final Consumer<DatabaseMetadata> listener;
  private @Nullable DatabaseMetadata metadata;
  private long refreshNanos;
  private long expiryNanos;
  private @Nullable Mono<DatabaseMetadata> exchanging;

  /**
   * @param listener the consumer of all received metadata
   */
  MetadataSession(MetadataExchange exchange, Consumer<DatabaseMetadata> listener) {
    this.exchange = exchange;
    this.listener = listener;
  }

  /**
   * Emits valid metadata, after an exchange if necessary. Must be subscribed to on the event loop.
   */
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
            exchanged()
                .subscribe(ignored -> {}, failed -> {}); // the current metadata is still valid
          }
          return Mono.just(known);
        });
  }

  /** Discards metadata that a server has rejected, according to the failure of an attempt. */
  void failed(DatabaseMetadata used, Throwable failure) {
    boolean isRejected = failure instanceof AttemptFailure known && known.kind() == Kind.STALE;
    if (isRejected && used.equals(metadata)) {
      metadata = null;
    }
  }

  /** Emits the metadata of the running exchange, or of a new one; cancelling does not end it. */
  private Mono<DatabaseMetadata> exchanged() {
    if (exchanging == null) {
      exchanging =
          exchange.exchange().doOnNext(this::use).doOnTerminate(() -> exchanging = null).cache();
    }
    return exchanging;
  }

  private void use(DatabaseMetadata fresh) {
    long seconds =
        Math.max(MIN_SECONDS, Duration.between(Instant.now(), fresh.expiresAt()).toSeconds());
    long lasting = Math.min(seconds, Duration.ofDays(30).toSeconds());
    long now = System.nanoTime();
    metadata = fresh;
    listener.accept(fresh);
    expiryNanos = now + TimeUnit.SECONDS.toNanos(lasting);
    refreshNanos = now + TimeUnit.SECONDS.toNanos(lasting - Math.min(MARGIN_SECONDS, lasting / 2));
  }
}
