package io.kvreactive.web.internal.auth;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Ends long operations when their grant ends. */
public final class GrantExpiration {
  private static final Duration MAX_TIMER = Duration.ofDays(1); // tolerates adjusted clocks

  private final Vertx vertx;
  private final Context context;
  private final Grant grant;
  private final Runnable ended;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile long timer = -1;
  private volatile @Nullable Runnable forget;

  private GrantExpiration(Vertx vertx, Grant grant, Runnable ended) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.grant = grant;
    this.ended = ended;
  }

  /**
   * Runs a callback once when a grant ends: by expiry, by revocation, or by a change of its rights.
   * The callback runs on the context that is current at this call.
   *
   * @return the cancellation, to be run when the operation ends first
   */
  public static Runnable watch(Vertx vertx, Grant grant, Runnable ended) {
    GrantExpiration watch = new GrantExpiration(vertx, grant, ended);
    watch.forget = grant.revocation().onRevoked(() -> watch.context.runOnContext(v -> watch.end()));
    watch.wind();
    return watch::cancel;
  }

  private void wind() {
    Instant end = grant.expiresAt();
    if (end == null || done.get()) {
      return;
    }
    Duration left = Duration.between(grant.clock().instant(), end);
    long pause = Math.max(1, min(left, MAX_TIMER).toMillis() + 1);
    timer = vertx.setTimer(pause, rung -> context.runOnContext(v -> rung()));
    if (done.get()) {
      vertx.cancelTimer(timer);
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void rung() {
    if (grant.expired()) {
      end();
    } else {
      wind();
    }
  }

  private void end() {
    if (cancel()) {
      ended.run();
    }
  }

  private boolean cancel() {
    if (!done.compareAndSet(false, true)) {
      return false;
    }
    vertx.cancelTimer(timer);
    Runnable registered = forget;
    if (registered != null) {
      registered.run();
    }
    return true;
  }
}
