package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.web.internal.auth.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A frame from the client. */
sealed interface ClientFrame {
  /** Estimated memory of an object besides its content, in bytes. */
  int OBJECT_BYTES = 100;

  private static long bytesOf(KvRange range) {
    return 2L * (range.startBytes().length + range.endBytes().length);
  }

  /** Returns the operation that authorizes the frame. */
  Operation operation();

  /** A frame that opens a subscription. */
  sealed interface Open extends ClientFrame {
    long id();

    /** Returns the initial credit, at least 0. */
    long credit();

    /** Returns the estimated memory that the frame takes while its subscription lasts. */
    long bytes();
  }

  /**
   * Lists a range.
   *
   * @param limit the total number of entries
   * @param cursor the end of an earlier list; empty for none
   * @param snapshot true to read everything at one version
   */
  record ListRange(
      long id,
      long credit,
      KvRange range,
      boolean reverse,
      long limit,
      String cursor,
      boolean keysOnly,
      boolean snapshot)
      implements Open {
    @Override
    public Operation operation() {
      return Operation.LIST_FRAME;
    }

    @Override
    public long bytes() {
      return OBJECT_BYTES + bytesOf(range) + 2L * cursor.length();
    }
  }

  /** Watches the state of some keys. */
  record Watch(long id, long credit, List<KvKey> keys) implements Open {
    @Override
    public Operation operation() {
      return Operation.WATCH_FRAME;
    }

    @Override
    public long bytes() {
      long bytes = OBJECT_BYTES;
      for (KvKey key : keys) {
        bytes += OBJECT_BYTES + 2L * key.bytes().length; // here and by the watch
      }
      return bytes;
    }
  }

  /**
   * Follows the changes of a range.
   *
   * @param since the start of the feed; null for the newest version
   * @param list true to begin with the current entries
   */
  record Changes(
      long id,
      long credit,
      KvRange range,
      @Nullable Versionstamp since,
      boolean list,
      boolean oldValues)
      implements Open {
    @Override
    public Operation operation() {
      return Operation.CHANGES_FRAME;
    }

    @Override
    public long bytes() {
      return OBJECT_BYTES + bytesOf(range);
    }
  }

  /**
   * Runs a query.
   *
   * @param watch true to continue with the changes of its rows
   */
  record Query(long id, long credit, String collection, SqlQuery query, boolean watch)
      implements Open {
    /** Returns the query on behalf of a caller. */
    Query of(String caller) {
      SqlQuery its = query.withOptions(query.options().withCaller(caller));
      return new Query(id, credit, collection, its, watch);
    }

    @Override
    public Operation operation() {
      return Operation.QUERY_FRAME;
    }

    @Override
    public long bytes() {
      long bytes = OBJECT_BYTES + 2L * query.text().length();
      for (Object value : query.parameters().values()) {
        bytes += OBJECT_BYTES + 2L * String.valueOf(value).length();
      }
      return bytes;
    }
  }

  /** Adds {@code n} to the credit. */
  record Credit(long id, long n) implements ClientFrame {
    @Override
    public Operation operation() {
      return Operation.CREDIT_FRAME;
    }
  }

  /** Ends a subscription. */
  record Cancel(long id) implements ClientFrame {
    @Override
    public Operation operation() {
      return Operation.CANCEL_FRAME;
    }
  }

  /** Requests a pong. */
  record Ping() implements ClientFrame {
    @Override
    public Operation operation() {
      return Operation.PING_FRAME;
    }
  }

  /** An {@link Open} with invalid arguments: its subscription fails, others continue. */
  record Refused(Operation operation, long id, RuntimeException why) implements ClientFrame {}
}
