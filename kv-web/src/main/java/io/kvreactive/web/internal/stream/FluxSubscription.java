package io.kvreactive.web.internal.stream;

import static java.util.Objects.requireNonNull;

import io.kvreactive.internal.shared.CancellableSubscriber;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A subscription to the elements of a publisher. Few are requested ahead of the connection: as many
 * as the credit permits, and as fit into 128 KiB if they are as large as recent ones.
 *
 * <p>If elements exceed the memory of the connection, or the credit of bytes is exhausted, a
 * publisher that {@linkplain #canRestart can be restarted} is cancelled, and subscribed to again
 * when there is memory and credit. The elements of others are held and sent nevertheless.
 *
 * @param <E> an element
 */
abstract class FluxSubscription<E> extends Subscription {
  private static final int BYTES_AHEAD = 128 << 10;

  private final boolean onContext;
  private @Nullable ArrayDeque<E> arrived; // null if it would be empty: most watches rest
  private @Nullable Source source;
  private boolean standing;
  private boolean completed;
  private int received;
  private int requested;
  private int heldBytes;
  private int usualBytes;

  /**
   * Creates a subscription that begins at its first turn.
   *
   * @param onContext true if the publisher signals on the connection's context
   * @param usualBytes the assumed size of an element until the actual size is known
   */
  FluxSubscription(
      StreamSocket socket, ClientFrame.Open opened, boolean onContext, int usualBytes) {
    super(socket, opened);
    this.onContext = onContext;
    this.usualBytes = usualBytes;
  }

  /**
   * Returns the publisher to subscribe to before the first request, or after {@link #release}; null
   * to begin in a later turn.
   */
  abstract @Nullable Flux<E> elements();

  /** Returns true if {@link #elements} continues without a gap after the last element sent. */
  boolean canRestart() {
    return resumeFrom() != null;
  }

  /**
   * Returns true for states: one that arrives while the connection accepts no output is dropped,
   * and the newest is read later.
   */
  boolean onlyNewestCounts() {
    return false;
  }

  /** Returns the estimated size of an element in bytes. */
  abstract int bytes(E element);

  /** Returns true for an element that only reports progress and costs no credit. */
  abstract boolean isFree(E element);

  /** Returns the maximum number of elements to request. */
  abstract int mostAhead();

  /**
   * Returns true if elements may be requested. Otherwise arranges a turn for when they may be, or
   * one is arranged already.
   */
  abstract boolean mayRequest();

  /**
   * Sends the next element, and more if they fit into its frame. Called only if there is an
   * element, and credit for it.
   *
   * @return the number of bytes sent
   */
  abstract int writeNext();

  /** Requests more, or releases what has arrived. Called when no element can be sent. */
  void requestOrRelease() {
    if (demand() == 0 && arrived != null && !completed && canRestart()) {
      release(); // resumed after the last element that was sent when there is a credit of bytes
    } else {
      request();
    }
  }

  // ---- writing

  @Override
  final int turn() {
    int bytes = 0;
    while (bytes < StreamSocket.FRAME_BYTES && canWrite() && socket.hasRoom()) {
      bytes += writeNext();
    }
    if (ended()) {
      return bytes;
    }
    if (canWrite()) {
      wantTurn();
    } else if (completed && arrived == null) {
      socket.end(this, null);
    } else {
      requestOrRelease();
    }
    return bytes;
  }

  private boolean canWrite() {
    E head = peek();
    long sendable = canRestart() ? demand() : credit();
    return head != null && (sendable > 0 || isFree(head));
  }

  /** Returns the next element; null if none has arrived. */
  final @Nullable E peek() {
    return arrived == null ? null : arrived.peek();
  }

  /** Removes the next element and releases its memory. */
  final E remove() {
    ArrayDeque<E> from = requireNonNull(arrived);
    E head = from.remove();
    arrived = from.isEmpty() ? null : from;
    int bytes = bytes(head);
    heldBytes -= bytes;
    socket.held().give(bytes);
    return head;
  }

  // ---- requesting

  /** Returns true if requested elements have not arrived. */
  final boolean awaits() {
    return requested > 0;
  }

  /** Returns the number of elements that have arrived, or a large number. */
  final int received() {
    return received;
  }

  /** Requests elements within the credit, unless they would be few. */
  private void request() {
    int ahead = Math.max(1, Math.min(mostAhead(), BYTES_AHEAD / usualBytes));
    int atHand = requested + (arrived == null ? 0 : arrived.size());
    long wanted = Math.min(demand(), ahead) - atHand;
    if (completed || wanted <= 0 || requested > 0 && wanted < ahead / 4) {
      return;
    }
    if (socket.held().isWaiting(this)) {
      return;
    }
    if (!socket.hasRoom()) {
      wantTurn(); // when the connection has room
      return;
    }
    if (!mayRequest()) {
      return;
    }
    Source from = source == null ? subscribe() : source;
    if (from != null) {
      requested += (int) wanted;
      from.requestWhenSubscribed(wanted);
    }
  }

  private @Nullable Source subscribe() {
    Flux<E> elements = elements();
    if (elements == null) {
      return null;
    }
    Source from = new Source();
    source = from;
    elements.subscribe(from);
    return from;
  }

  /**
   * Returns true if nothing more should be read, because memory is spent. Arranges a turn for when
   * there is some.
   */
  final boolean waitsIfFull() {
    boolean isFull = socket.held().isFull();
    if (isFull) {
      socket.held().waitFor(this, 1);
    }
    return isFull;
  }

  /**
   * Returns true if the memory of what is read ahead is taken. Takes it if it is free; otherwise
   * arranges a turn for when it is.
   */
  final boolean hasStanding() {
    if (!standing) {
      standing = socket.held().takeStanding();
      if (!standing) {
        socket.held().waitFor(this, SubscriptionMemory.STANDING_BYTES);
      }
    }
    return standing;
  }

  final void giveStanding() {
    if (standing) {
      standing = false;
      socket.held().giveStanding();
    }
  }

  // ---- receiving

  /** Takes memory for an element that cannot be dropped, on any thread. */
  private boolean add(int bytes) {
    socket.held().add(bytes);
    return true;
  }

  private void take(Source from, E element, int bytes, boolean held) {
    if (from != source) {
      if (held) {
        socket.held().give(bytes);
      } else {
        socket.held().wakeIfNothingWill();
      }
      return;
    }
    requested--;
    received = Math.min(received + 1, 1 << 16);
    int atLeast = canRestart() ? 0 : bytes; // what cannot be dropped should fit
    usualBytes = Math.max(atLeast, (int) ((7L * usualBytes + bytes) / 8));
    if (!held) {
      usualBytes = Math.max(usualBytes, BYTES_AHEAD); // one at a time, which memory may suffice for
      release();
      socket.held().waitFor(this, bytes);
      return;
    }
    socket.held().giveBackGrantOf(this);
    if (arrived == null) {
      arrived = new ArrayDeque<>(1);
    }
    arrived.add(element);
    heldBytes += bytes;
    if (onlyNewestCounts() && !socket.hasRoom()) {
      release();
    }
    wantTurn();
  }

  @Override
  void release() {
    Source from = source;
    source = null;
    requested = 0;
    arrived = null;
    socket.held().give(heldBytes);
    heldBytes = 0;
    giveStanding();
    if (from != null) {
      from.dispose();
    }
  }

  /** The subscriber of the publisher. It passes signals to the connection's context. */
  private final class Source extends CancellableSubscriber<E> {
    private long early; // requested before the subscription; guarded by this

    /** Requests elements now, or when the publisher has passed its subscription. */
    void requestWhenSubscribed(long n) {
      synchronized (this) {
        if (!isSubscribed()) {
          early += n;
          return;
        }
      }
      request(n);
    }

    @Override
    protected void subscribed() {
      long n;
      synchronized (this) {
        n = early;
        early = 0;
      }
      if (n > 0) {
        request(n);
      }
    }

    @Override
    protected void received(E element) {
      int bytes = bytes(element);
      boolean held = canRestart() ? socket.held().take(bytes) : add(bytes);
      here(() -> take(this, element, bytes, held));
    }

    @Override
    protected void completed() {
      here(
          () -> {
            if (this == source) {
              completed = true;
              requested = 0;
              wantTurn();
            }
          });
    }

    @Override
    protected void failed(Throwable failure) {
      here(
          () -> {
            if (this == source) {
              fail(failure);
            }
          });
    }

    private void here(Runnable task) {
      if (onContext) {
        task.run();
      } else {
        socket.run(task);
      }
    }
  }
}
