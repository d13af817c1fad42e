package io.kvreactive.web.internal.stream;

import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.QueryUpdate;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.web.internal.rest.RowText;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * The rows of a query, followed by their changes if the query is watched.
 *
 * <p>Rows are requested within the credit: one until a size is known, then as many as fit into the
 * memory if they are as large as the largest recent one. Requested rows are sent even if the credit
 * of bytes is exhausted meanwhile, because they would take memory from other subscriptions. Queries
 * of a connection take turns when they wait for rows.
 */
final class QuerySubscription extends io.kvreactive.web.internal.stream.Subscription {
  private static final int MAX_PREFETCH = 64;
  private static final int BYTES_AHEAD = 128 << 10;
  private static final int GROWTH = 4;

  /** A row or an update to be sent, as JSON in ASCII characters. */
  private record Arrived(@Nullable String row, @Nullable QueryUpdate<RowText.Ascii> update) {
    int bytes() {
      return 100 + (row == null ? 0 : row.length());
    }

    boolean isFree() {
      return update instanceof QueryUpdate.Synced<RowText.Ascii>;
    }
  }

  private final Deque<Arrived> arrived = new ArrayDeque<>(0);
  private final Flux<Arrived> rows;
  private final Source source = new Source();
  private boolean begun;
  private boolean completed;
  private int requested;
  private int heldBytes;
  private int usualBytes = 1; // decaying maximum of a row
  private int most = 1; // maximum number of rows to request
  private boolean hasPermit;
  private boolean standing; // the memory of what is read ahead is taken
  private boolean synced; // true if the rest are changes

  QuerySubscription(
      StreamSocket socket,
      ClientFrame.Query asked,
      SqlQuery query,
      DocumentCollection<?> collection) {
    super(socket, asked);
    this.rows =
        asked.watch()
            ? collection.watchQuery(query, RowText.Ascii.class).map(QuerySubscription::arrived)
            : collection
                .query(query, RowText.Ascii.class)
                .map(row -> new Arrived(row.json(), null));
  }

  private static Arrived arrived(QueryUpdate<RowText.Ascii> update) {
    RowText.Ascii row =
        update instanceof QueryUpdate.Insert<RowText.Ascii> insert
            ? insert.row()
            : update instanceof QueryUpdate.Update<RowText.Ascii> changed ? changed.row() : null;
    return new Arrived(row == null ? null : row.json(), update);
  }

  @Override
  boolean reads() {
    return requested > 0 && !synced;
  }

  @Override
  boolean isListing() {
    return !synced;
  }

  @Override
  int turn() {
    int bytes = 0;
    while (bytes < StreamSocket.FRAME_BYTES && canWrite() && socket.hasRoom()) {
      bytes += write();
    }
    if (ended()) {
      return bytes;
    }
    if (canWrite()) {
      wantTurn();
    } else if (completed && arrived.isEmpty()) {
      socket.end(this, null);
    } else if (yields()) {
      wantTurn(); // after the subscriptions that wait for a permit
    } else {
      requestRows();
    }
    return bytes;
  }

  /**
   * Releases the permit unless rows are awaited or the query can continue. Returns true if the
   * query wants more rows and others wait.
   */
  private boolean yields() {
    if (!hasPermit || !arrived.isEmpty() || requested > 0 && !synced) {
      return false;
    }
    boolean wantsMore = demand() > 0 && !synced;
    if (wantsMore && !socket.queries().othersWait()) {
      return false;
    }
    releasePermit();
    return wantsMore;
  }

  private void releasePermit() {
    if (hasPermit) {
      hasPermit = false;
      socket.queries().hasRead();
    }
  }

  private void giveStanding() {
    if (standing) {
      standing = false;
      socket.held().giveStanding();
    }
  }

  private boolean canWrite() {
    Arrived head = arrived.peek();
    return head != null && (credit() > 0 || head.isFree());
  }

  private int write() {
    FrameWriter frames = socket.frames();
    QueryUpdate<RowText.Ascii> update = arrived.element().update();
    if (update != null) {
      String row = removeHead().row();
      if (update instanceof QueryUpdate.Synced<RowText.Ascii>) {
        synced = true;
        giveStanding(); // the rest are changes
      } else {
        sent(1);
      }
      frames.queryUpdate(id, update, row);
      return socket.send();
    }
    frames.beginRows(id);
    while (credit() > 0 && frames.length() < StreamSocket.FRAME_BYTES && !arrived.isEmpty()) {
      frames.row(removeHead().row());
      sent(1);
    }
    frames.endRows();
    return socket.send();
  }

  private Arrived removeHead() {
    Arrived head = arrived.remove();
    heldBytes -= head.bytes();
    socket.held().give(head.bytes());
    return head;
  }

  private void requestRows() {
    int ahead = Math.max(1, Math.min(most, BYTES_AHEAD / usualBytes));
    long wanted = Math.min(demand(), ahead) - requested - arrived.size();
    if (completed || wanted <= 0 || (requested > 0 && wanted < ahead / 4)) {
      return;
    }
    if (!socket.hasRoom()) {
      wantTurn(); // when the connection has room
      return;
    }
    if (socket.held().isFull()) {
      socket.held().waitFor(this);
      return;
    }
    if (!synced && !hasPermit) {
      if (!socket.queries().mayRead(this)) {
        return;
      }
      hasPermit = true;
    }
    if (!begun) {
      if (!socket.held().takeStanding()) {
        releasePermit();
        socket.held().waitFor(this);
        return;
      }
      begun = true;
      standing = true;
      // not on the connection's context, on which rows would be prefetched beyond the demand
      rows.subscribeOn(Schedulers.parallel(), false).subscribe(source);
    }
    requested += (int) wanted;
    source.request(wanted);
  }

  private void take(Arrived next) {
    int bytes = next.bytes();
    if (ended()) {
      socket.held().give(bytes);
      return;
    }
    requested--;
    arrived.add(next);
    heldBytes += bytes;
    usualBytes = Math.max(bytes, (int) ((7L * usualBytes + bytes) / 8));
    most = Math.min(MAX_PREFETCH, most + GROWTH);
    wantTurn();
  }

  @Override
  void release() {
    source.cancel();
    arrived.clear();
    giveStanding();
    releasePermit();
    socket.held().give(heldBytes);
    heldBytes = 0;
  }

  /**
   * The subscriber of the query. It passes signals of other threads to the connection's context.
   */
  private final class Source extends BaseSubscriber<Arrived> {
    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      // requests are made in turns
    }

    @Override
    protected void hookOnNext(Arrived next) {
      socket.held().add(next.bytes()); // requested rows cannot be rejected
      socket.run(() -> take(next));
    }

    @Override
    protected void hookOnComplete() {
      socket.run(
          () -> {
            completed = true;
            requested = 0;
            wantTurn();
          });
    }

    @Override
    protected void hookOnError(Throwable failure) {
      socket.run(() -> fail(failure));
    }
  }
}
