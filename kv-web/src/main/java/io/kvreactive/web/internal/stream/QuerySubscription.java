package io.kvreactive.web.internal.stream;

import static java.util.Objects.requireNonNull;

import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.QueryUpdate;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.web.internal.rest.RowText;
import org.jspecify.annotations.Nullable;
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
final class QuerySubscription extends FluxSubscription<QuerySubscription.Arrived> {
  private static final int MAX_PREFETCH = 64;
  private static final int GROWTH = 4;

  /** A row or an update to be sent, as JSON in ASCII characters. */
  record Arrived(@Nullable String row, @Nullable QueryUpdate<RowText.Ascii> update) {
    int bytes() {
      return 100 + (row == null ? 0 : row.length());
    }

    boolean isFree() {
      return update instanceof QueryUpdate.Synced<RowText.Ascii>;
    }
  }

  private final Flux<Arrived> rows;
  private boolean synced; // true if the rest are changes

  QuerySubscription(
      StreamSocket socket,
      ClientFrame.Query request,
      SqlQuery query,
      DocumentCollection<?> collection) {
    super(socket, request, false, 1);
    this.rows =
        request.watch()
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
    return awaits() && !synced;
  }

  @Override
  boolean isListing() {
    return !synced;
  }

  @Override
  Flux<Arrived> elements() {
    // not on the connection's context, on which rows would be prefetched beyond the demand
    return rows.subscribeOn(Schedulers.parallel(), false);
  }

  @Override
  int bytes(Arrived row) {
    return row.bytes();
  }

  @Override
  boolean isFree(Arrived row) {
    return row.isFree();
  }

  @Override
  int mostAhead() {
    return Math.min(MAX_PREFETCH, 1 + GROWTH * received());
  }

  @Override
  void requestOrRelease() {
    if (yields()) {
      wantTurn(); // after the subscriptions that wait for a permit
    } else {
      super.requestOrRelease();
    }
  }

  /**
   * Releases the permit unless rows are awaited or the query can continue. Returns true if the
   * query wants more rows and others wait.
   */
  private boolean yields() {
    if (!hasPermit() || peek() != null || awaits() && !synced) {
      return false;
    }
    boolean wantsMore = demand() > 0 && !synced;
    if (wantsMore && !socket.queries().othersWait()) {
      return false;
    }
    socket.queries().release(this);
    return wantsMore;
  }

  @Override
  int writeNext() {
    FrameWriter frames = socket.frames();
    QueryUpdate<RowText.Ascii> update = requireNonNull(peek()).update();
    if (update != null) {
      String row = remove().row();
      if (update instanceof QueryUpdate.Synced<RowText.Ascii>) {
        synced = true;
        giveStanding(); // the rest are changes
      } else {
        sent(1);
      }
      frames.queryUpdate(id, update, row);
      return send();
    }
    frames.beginRows(id);
    while (credit() > 0 && frames.length() < StreamSocket.FRAME_BYTES && peek() != null) {
      frames.row(remove().row());
      sent(1);
    }
    frames.endRows();
    return send();
  }

  @Override
  boolean mayRequest() {
    if (waitsIfFull()) {
      return false;
    }
    if (synced) {
      return true;
    }
    if (!socket.queries().take(this)) {
      return false;
    }
    if (!hasStanding()) {
      socket.queries().release(this);
      return false;
    }
    return true;
  }

  @Override
  void release() {
    super.release();
    socket.queries().release(this);
  }
}
