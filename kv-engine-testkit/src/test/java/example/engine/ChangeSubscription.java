package example.engine;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.ChangesRequest;
import io.kvreactive.spi.CommittedChanges;
import io.kvreactive.spi.StoredChange;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** A change feed: a position in the sequence of commits. */
final class ChangeSubscription extends EngineSubscription<CommittedChanges> {
  private final ChangesRequest request;
  private final long newestAtStart;
  private long position; // the commits up to it are done
  private long told; // version of the last element; -1 if there was none
  private long toldNanos = System.nanoTime();
  private @Nullable ScheduledFuture<?> bookmark;

  /** Errors: INVALID_ARGUMENT, COMPACTED. */
  ChangeSubscription(
      CoreSubscriber<? super CommittedChanges> subscriber,
      SortedMapEngine engine,
      ChangesRequest request) {
    super(subscriber, engine);
    this.request = request;
    newestAtStart = engine.store.state().version();
    Versionstamp since = request.since();
    position = since == null ? newestAtStart : since.version();
    told = since == null ? -1 : position;
    if (since != null && position > newestAtStart) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "since: " + since + " (expected: at most " + Versionstamp.of(newestAtStart) + ")");
    }
    var unused = engine.store.commitAfter(position);
  }

  @Override
  protected void release() {
    super.release();
    ScheduledFuture<?> planned = bookmark;
    if (planned != null) {
      planned.cancel(false);
    }
  }

  @Override
  protected void step() {
    try {
      CommittedChanges next;
      while (requested() > 0
          && !isEnding()
          && (next = engine.store.commitAfter(position)) != null) {
        List<StoredChange> changes =
            next.changes().stream().map(this::ofRange).filter(Objects::nonNull).toList();
        position = next.versionstamp().version();
        if (!changes.isEmpty()) {
          tell(new CommittedChanges(next.versionstamp(), next.millis(), changes));
        }
      }
    } catch (KvException e) {
      terminate(e);
      return;
    }
    if (requested() > 0 && !isEnding() && position > told) {
      bookmark();
    }
  }

  private void tell(CommittedChanges element) {
    told = position;
    toldNanos = System.nanoTime();
    emit(element);
  }

  /** Emits a bookmark if it is due, or plans it. */
  private void bookmark() {
    long silent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - toldNanos);
    if (told < newestAtStart && position >= newestAtStart || silent >= request.bookmarkMillis()) {
      tell(new CommittedChanges(Versionstamp.of(position), engine.now(), List.of()));
      return;
    }
    ScheduledFuture<?> planned = bookmark;
    if (planned == null || planned.isDone()) {
      long pause = request.bookmarkMillis() - silent;
      bookmark = engine.thread().schedule(this::touched, pause, TimeUnit.MILLISECONDS);
    }
  }

  /** Returns the part of a change in the range, or null. */
  private @Nullable StoredChange ofRange(StoredChange change) {
    byte[] end = change.end();
    if (end != null) {
      byte[] from = max(change.key(), request.start());
      byte[] to = Arrays.compareUnsigned(end, request.end()) < 0 ? end : request.end();
      return Arrays.compareUnsigned(from, to) < 0 ? StoredChange.deleteRange(from, to) : null;
    }
    boolean isWithin =
        Arrays.compareUnsigned(change.key(), request.start()) >= 0
            && Arrays.compareUnsigned(change.key(), request.end()) < 0;
    if (!isWithin) {
      return null;
    }
    return request.oldValues() ? change : change.after(change.oldVersion(), null);
  }

  private static byte[] max(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }
}
