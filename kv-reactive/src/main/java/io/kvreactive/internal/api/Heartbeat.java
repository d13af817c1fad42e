package io.kvreactive.internal.api;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.QueueOptions;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * Extends the leases of a subscription's unfinished messages every third of a lease, while there
 * are any. Does not use the subscriber's thread, which may be busy with a message.
 */
final class Heartbeat<T> {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

  private final KvEngine engine;
  private final QueueOptions options;
  private final Set<DeliveredMessage<T>> unfinished;
  private final Consumer<DeliveredMessage<T>> lost;
  private final Runnable closed;
  private final AtomicBoolean running = new AtomicBoolean();
  private final Disposable.Swap timer = Disposables.swap();

  /**
   * Creates a heartbeat.
   *
   * @param unfinished the unfinished messages, which may be changed on any thread
   * @param lost called with messages whose lease has ended
   * @param closed called when the store is found to be closed
   */
  Heartbeat(
      KvEngine engine,
      QueueOptions options,
      Set<DeliveredMessage<T>> unfinished,
      Consumer<DeliveredMessage<T>> lost,
      Runnable closed) {
    this.engine = engine;
    this.options = options;
    this.unfinished = unfinished;
    this.lost = lost;
    this.closed = closed;
  }

  /**
   * Returns the duration by which the lease of a message of some age may be extended from now on; 0
   * if its processing time is used up.
   */
  long leaseMillis(Duration age) {
    Duration most = options.maxProcessing();
    Duration lease = options.lease();
    if (most != null && most.minus(age).compareTo(lease) < 0) {
      lease = most.minus(age);
    }
    return Math.max(0, lease.toMillis());
  }

  void start() {
    if (!unfinished.isEmpty() && running.compareAndSet(false, true)) {
      long period = Math.max(1, leaseMillis(Duration.ZERO) / 3);
      timer.update(Schedulers.parallel().schedule(this::beat, period, TimeUnit.MILLISECONDS));
    }
  }

  void stop() {
    timer.dispose();
  }

  private void beat() {
    List<LeaseToken> whole = new ArrayList<>();
    for (DeliveredMessage<T> message : unfinished) {
      long millis = leaseMillis(message.age());
      if (millis == 0) {
        lost.accept(message);
      } else if (millis == options.lease().toMillis()) {
        whole.add(message.token());
      } else {
        extend(List.of(message.token()), millis);
      }
    }
    if (!whole.isEmpty()) {
      extend(whole, options.lease().toMillis());
    }
    running.set(false);
    start();
  }

  private void extend(List<LeaseToken> tokens, long millis) {
    engine.extend(tokens, millis).subscribe(this::lost, this::failed);
  }

  private void failed(Throwable failure) {
    LOG.debug("extending leases failed", failure);
    if (KvError.is(failure, KvErrorCode.CLOSED)) {
      closed.run();
    }
  }

  private void lost(List<LeaseToken> tokens) {
    if (tokens.isEmpty()) {
      return;
    }
    Set<LeaseToken> gone = new HashSet<>(tokens);
    for (DeliveredMessage<T> message : unfinished) {
      if (gone.contains(message.token())) {
        lost.accept(message);
      }
    }
  }
}
