package io.kvreactive.internal.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.shared.SubscriberContext;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.SerialSubscription;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * A subscription to the state of some keys. A commit only marks it. The keys are read again when
 * there is demand, and the result is emitted if a version differs from the last emission. So it
 * holds the versions of one state, however slow its subscriber is.
 *
 * <p>A small value of one key that is in memory, as after a commit, is read on the context of the
 * subscriber, one state at a time. All else is read on a reader thread.
 */
final class Watch extends SerialSubscription<ReadResult> {
  private final Supplier<ReadResult> read;
  private final Supplier<@Nullable ReadResult> readNow;
  private final StepExecutor executor;
  private final Consumer<Watch> remove;
  private final BiFunction<Long, Runnable, Future<?>> timer;

  private volatile boolean dirty = true;
  private @Nullable List<Object> emitted; // versionstamps of the last emission
  private @Nullable Future<?> expiry;
  private long expiryAt;

  /**
   * The executor of steps: reader threads, or the context of the subscriber while small states are
   * in memory.
   */
  static final class StepExecutor implements Executor {
    private final Executor readers;
    private final @Nullable Executor context;
    private volatile boolean prefersContext;
    private boolean isOnContext; // the running steps

    StepExecutor(Executor readers, @Nullable Executor context) {
      this.readers = readers;
      this.context = context;
    }

    @Override
    public void execute(Runnable steps) {
      Executor near = context;
      if (near != null && prefersContext) {
        try {
          near.execute(() -> run(steps, true));
          return;
        } catch (RejectedExecutionException e) {
          prefersContext = false; // its Vert.x instance is closed
        }
      }
      readers.execute(() -> run(steps, false));
    }

    private void run(Runnable steps, boolean onContext) {
      isOnContext = onContext;
      steps.run();
    }
  }

  /**
   * Creates a watch.
   *
   * @param executor the executor on which keys are read and signals are emitted
   * @param read reads all keys at the newest version
   * @param readNow reads them without waiting; returns null if they are not in memory, or large
   * @param remove called when the watch ends, possibly twice
   * @param timer runs a task at a time of the store's clock
   */
  Watch(
      CoreSubscriber<? super ReadResult> actual,
      StepExecutor executor,
      Supplier<ReadResult> read,
      Supplier<@Nullable ReadResult> readNow,
      Consumer<Watch> remove,
      BiFunction<Long, Runnable, Future<?>> timer) {
    super(actual, executor);
    this.executor = executor;
    this.read = read;
    this.readNow = readNow;
    this.remove = remove;
    this.timer = timer;
  }

  @Override
  public void cancel() {
    super.cancel();
    remove.accept(this);
  }

  @Override
  protected void release() {
    remove.accept(this);
    Future<?> waiting = expiry;
    if (waiting != null) {
      waiting.cancel(false);
    }
  }

  /** Marks the watch after a commit has touched one of its keys. Thread-safe. Does not block. */
  void touched() {
    if (!dirty) {
      dirty = true;
      wake();
    }
  }

  /** Returns true on the context, where other tasks wait. */
  @Override
  protected boolean yields() {
    return executor.isOnContext;
  }

  @Override
  protected void step() {
    while (dirty && requested() > 0 && !isEnding()) {
      readAndEmit();
      if (yields()) {
        return;
      }
    }
  }

  private void readAndEmit() {
    dirty = false; // before the read: a concurrent commit is read next time
    ReadResult state;
    try {
      state = executor.isOnContext ? readNow.get() : read.get();
      executor.prefersContext = state != null && state.bytes() <= SubscriberContext.SMALL_BYTES;
      if (state == null) {
        touched(); // by a reader
        return;
      }
    } catch (KvException e) {
      terminate(e.code() == KvErrorCode.CLOSED ? null : e);
      return;
    }
    touchAt(earliestExpiry(state));
    List<Object> stamps = state.pages().stream().map(Watch::stamp).toList();
    if (!stamps.equals(emitted)) {
      emitted = stamps;
      emit(state);
    }
  }

  /** Marks the watch at the next expiry, a change for which there may be no timely commit. */
  private void touchAt(long millis) {
    Future<?> waiting = expiry;
    if (millis == expiryAt && (waiting == null ? millis == Long.MAX_VALUE : !waiting.isDone())) {
      return;
    }
    if (waiting != null) {
      waiting.cancel(false);
    }
    expiryAt = millis;
    expiry = millis == Long.MAX_VALUE ? null : timer.apply(millis, this::touched);
  }

  private static long earliestExpiry(ReadResult state) {
    long earliest = Long.MAX_VALUE;
    for (RangePage page : state.pages()) {
      for (StoredEntry entry : page.entries()) {
        earliest = entry.expireAt() == 0 ? earliest : Math.min(earliest, entry.expireAt());
      }
    }
    return earliest;
  }

  private static Object stamp(RangePage page) {
    return page.entries().isEmpty() ? "absent" : page.entries().get(0).versionstamp();
  }
}
