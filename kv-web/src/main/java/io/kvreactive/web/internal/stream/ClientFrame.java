package io.kvreactive.web.internal.stream;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.ListOptions;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.PartitionKey;
import io.kvreactive.documents.SqlQuery;
import io.kvreactive.documents.TransactionalBatch;
import io.kvreactive.web.internal.auth.Operation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A frame from the client. */
sealed interface ClientFrame {
  /** Estimated memory of an object besides its content, in bytes. */
  int OBJECT_BYTES = 100;

  private static long bytesOf(KvRange range) {
    return 2L * (range.startBytes().length + range.endBytes().length);
  }

  /** The operations of the types of frames. */
  Map<Class<?>, Operation> OPERATIONS =
      Map.ofEntries(
          Map.entry(Batch.class, Operation.BATCH_FRAME),
          Map.entry(DeleteItems.class, Operation.DELETE_ITEMS_FRAME),
          Map.entry(DeletePartition.class, Operation.DELETE_PARTITION_FRAME),
          Map.entry(ListRange.class, Operation.LIST_FRAME),
          Map.entry(Watch.class, Operation.WATCH_FRAME),
          Map.entry(Changes.class, Operation.CHANGES_FRAME),
          Map.entry(Query.class, Operation.QUERY_FRAME),
          Map.entry(CollectionChanges.class, Operation.ITEM_CHANGES_FRAME),
          Map.entry(Credit.class, Operation.CREDIT_FRAME),
          Map.entry(Cancel.class, Operation.CANCEL_FRAME),
          Map.entry(Ping.class, Operation.PING_FRAME));

  /** Returns the operation that authorizes the frame. */
  default Operation operation() {
    return Objects.requireNonNull(OPERATIONS.get(getClass()), "a row of the table of operations");
  }

  /** A frame that opens a subscription under an unused id. */
  sealed interface Open extends ClientFrame {
    long id();

    /** Returns the initial credit: the number of elements that the server may send. At least 0. */
    long credit();

    /** Returns the initial credit of bytes. At least 0; {@code Long.MAX_VALUE} for no limit. */
    default long byteCredit() {
      return Long.MAX_VALUE;
    }

    /**
     * Returns the estimated memory of the frame in bytes, which is held while its subscription
     * lasts.
     */
    long bytes();

    /** Returns the part of {@link #bytes} that counts against the limit of the connection. */
    default long countedBytes() {
      return bytes();
    }
  }

  /**
   * A frame that opens a write of items. Its answer has the type {@link #op} and needs no credit.
   * The JSON of writes counts against the memory of the server only, because one large batch may
   * exceed the limit of the connection.
   */
  sealed interface Write extends Open {
    /** Returns the type of the frame. */
    default String op() {
      return operation().call().replace("frame: ", "");
    }

    String collection();

    @Override
    default long credit() {
      return Long.MAX_VALUE; // answers cost none
    }

    @Override
    default long countedBytes() {
      return 0;
    }
  }

  /** Executes a batch. */
  record Batch(long id, String collection, TransactionalBatch batch, long bytes) implements Write {}

  /** Deletes the items that a query finds. */
  record DeleteItems(long id, String collection, SqlQuery query, long bytes) implements Write {}

  /** Deletes the items of a partition key, or of its first values. */
  record DeletePartition(long id, String collection, PartitionKey partition, long bytes)
      implements Write {}

  /**
   * Opens a list of a range.
   *
   * @param options the selected entries and their order; the size of pages has no effect
   */
  record ListRange(long id, long credit, long byteCredit, KvRange range, ListOptions options)
      implements Open {
    @Override
    public long bytes() {
      return OBJECT_BYTES + bytesOf(range) + 2L * options.cursor().length();
    }
  }

  /** Opens a watch of the newest state of keys. */
  record Watch(long id, long credit, List<KvKey> keys) implements Open {
    @Override
    public long bytes() {
      long bytes = OBJECT_BYTES;
      for (KvKey key : keys) {
        bytes += OBJECT_BYTES + 2L * key.bytes().length; // held by this frame and by the watch
      }
      return bytes;
    }
  }

  /**
   * Opens a feed of the changes of a range.
   *
   * @param since the version after which the feed starts; null for the newest version
   * @param list true to begin with the current entries
   * @param oldValues true to include the previous values
   */
  record Changes(
      long id,
      long credit,
      long byteCredit,
      KvRange range,
      @Nullable Versionstamp since,
      boolean list,
      boolean oldValues)
      implements Open {
    @Override
    public long bytes() {
      return OBJECT_BYTES + bytesOf(range);
    }
  }

  /**
   * Opens a query.
   *
   * @param watch true to continue with the changes of the rows
   */
  record Query(
      long id, long credit, long byteCredit, String collection, SqlQuery query, boolean watch)
      implements Open {
    @Override
    public long bytes() {
      long bytes = OBJECT_BYTES + 2L * query.text().length();
      for (Object value : query.parameters().values()) {
        bytes += OBJECT_BYTES + 2L * String.valueOf(value).length();
      }
      return bytes;
    }
  }

  /**
   * Opens a feed of the changes of a collection's items.
   *
   * @param options the selected changes; without a position, those after the subscription
   */
  record CollectionChanges(
      long id, long credit, long byteCredit, String collection, ChangeFeedOptions options)
      implements Open {
    @Override
    public long bytes() {
      PartitionKey partition = options.partitionKey();
      return OBJECT_BYTES
          + 2L * collection.length()
          + (partition == null ? 0 : 2L * partition.toString().length());
    }
  }

  /** Adds {@code n} elements and {@code bytes} to the credit of a subscription. */
  record Credit(long id, long n, long bytes) implements ClientFrame {}

  /** Cancels a subscription. */
  record Cancel(long id) implements ClientFrame {}

  /** Requests a pong. */
  record Ping() implements ClientFrame {}

  /**
   * An {@link Open} with invalid arguments. Only its subscription fails.
   *
   * @param operation the operation of the frame
   * @param id the id of the subscription
   * @param why the reason
   */
  record Refused(Operation operation, long id, RuntimeException why) implements ClientFrame {}
}
