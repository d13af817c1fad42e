package io.kvreactive.web.internal.auth;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Ends long-running operations when the grant of their caller ends. */
public final class GrantExpiration {
  /** Maximum delay of the timer. The expiry is checked again, because clocks may be adjusted. */
  private static final Duration MAX_TIMER = Duration.ofDays(1);

  private final Vertx vertx;
  private final Context context;
  private final Grant grant;
  private final Runnable ended;
  private final AtomicBoolean done = new AtomicBoolean();
  private volatile long timer = -1;
  private volatile @Nullable Runnable deregistration;

  private GrantExpiration(Vertx vertx, Grant grant, Runnable ended) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.grant = grant;
    this.ended = ended;
  }

  /**
   * Runs a callback once when a grant ends: by expiry, by revocation, or by a change of its rights.
   * The callback runs on the Vert.x context that is current at this call.
   *
   * @return the cancellation, to be run if the operation ends first
   */
  public static Runnable watch(Vertx vertx, Grant grant, Runnable ended) {
    GrantExpiration watch = new GrantExpiration(vertx, grant, ended);
    watch.deregistration =
        grant.revocation().onRevoked(() -> watch.context.runOnContext(v -> watch.end()));
    watch.startTimer();
    return watch::cancel;
  }

  private void startTimer() {
    Instant end = grant.expiresAt();
    if (end == null || done.get()) {
      return;
    }
    Duration left = Duration.between(grant.clock().instant(), end);
    long pause = Math.max(1, min(left, MAX_TIMER).toMillis() + 1);
    timer = vertx.setTimer(pause, fired -> context.runOnContext(v -> onTimer()));
    if (done.get()) {
      vertx.cancelTimer(timer);
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void onTimer() {
    if (grant.expired()) {
      end();
    } else {
      startTimer();
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
    Runnable registered = deregistration;
    if (registered != null) {
      registered.run();
    }
    return true;
  }
}
