package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.SqlQuery;
import io.kvreactive.web.internal.auth.Operation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a client says. */
sealed interface ClientFrame {
  /** What an object takes besides its bytes. */
  int OBJECT_BYTES = 100;

  private static long bytesOf(KvRange range) {
    return 2L * (range.startBytes().length + range.endBytes().length);
  }

  /** The row that authorizes it. */
  Operation operation();

  /** Begins a subscription. */
  sealed interface Open extends ClientFrame {
    long id();

    /** What may be sent at first, at least 0. */
    long credit();

    /** About what is kept of it while it lasts. */
    long bytes();
  }

  /**
   * Lists a range.
   *
   * @param limit entries in all
   * @param cursor where an earlier list ended; empty for none
   * @param snapshot whether all is read at one version
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
        bytes += OBJECT_BYTES + 2L * key.bytes().length; // here, and where it is watched
      }
      return bytes;
    }
  }

  /**
   * Follows the changes of a range.
   *
   * @param since null for those from now on
   * @param list whether to begin with what there is
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
   * @param watch whether to go on with how commits change its rows
   */
  record Query(long id, long credit, String collection, SqlQuery query, boolean watch)
      implements Open {
    /** The same query of a caller. */
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

  /** Allows {@code n} more. */
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

  /** Wants an answer. */
  record Ping() implements ClientFrame {
    @Override
    public Operation operation() {
      return Operation.PING_FRAME;
    }
  }

  /** An {@link Open} whose arguments are wrong: that subscription fails, the others go on. */
  record Refused(Operation operation, long id, RuntimeException why) implements ClientFrame {}
}
