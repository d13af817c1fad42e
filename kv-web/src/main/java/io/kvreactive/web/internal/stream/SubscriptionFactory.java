package io.kvreactive.web.internal.stream;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.internal.shared.ArgumentChecks;
import io.kvreactive.web.internal.collections.PartitionRoutes;
import io.kvreactive.web.internal.collections.ServerMessages;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.rest.RowText;
import reactor.core.publisher.Flux;

/** Creates the subscriptions that a client requests, within the rights of its token. */
final class SubscriptionFactory {
  /** Maximum number of listing feeds and queries of a connection. Each may hold much memory. */
  private static final int MAX_LISTING = 32;

  /** Maximum number of writes of a connection that are not answered yet. */
  private static final int MAX_OPEN_WRITES = 32;

  private final StreamSocket socket;
  private final Caller caller;

  SubscriptionFactory(StreamSocket socket, Caller caller) {
    this.socket = socket;
    this.caller = caller;
  }

  /**
   * Creates a subscription, which reads nothing before its first turn.
   *
   * @throws KvException FORBIDDEN, LIMIT_EXCEEDED, and others for invalid arguments
   */
  Subscription subscription(ClientFrame.Open open) {
    Database database = caller.database();
    open.operation().authorize(caller.grant());
    if (open instanceof ClientFrame.Watch watch) {
      return watch(watch, database);
    } else if (open instanceof ClientFrame.Changes changes) {
      authorize(open, changes.range());
      if (changes.list()) {
        requireFewLists();
      }
      return new FeedSubscription.OfRange(socket, changes, database.kv());
    } else if (open instanceof ClientFrame.Query query) {
      requireFewLists();
      return new QuerySubscription(
          socket,
          query,
          ServerMessages.of(query.query(), caller.key()),
          database.documents().collection(query.collection(), ObjectNode.class));
    }
    if (open instanceof ClientFrame.CollectionChanges changes) {
      return new FeedSubscription.OfItems(
          socket,
          changes,
          database.kv(),
          database.documents().collection(changes.collection(), RowText.Ascii.class));
    }
    if (open instanceof ClientFrame.Write write) {
      requireFewWrites();
      return new WriteSubscription(socket, write, answers(write, database));
    }
    ClientFrame.ListRange list = (ClientFrame.ListRange) open;
    authorize(open, list.range());
    return new ListSubscription(socket, list, database.kv().engine());
  }

  private Flux<ObjectNode> answers(ClientFrame.Write write, Database database) {
    String name = write.collection();
    DocumentCollection<ObjectNode> items = database.documents().collection(name, ObjectNode.class);
    if (write instanceof ClientFrame.Batch batch) {
      return items.execute(batch.batch()).map(ServerMessages.TREES.batchResult::writeObject).flux();
    }
    if (write instanceof ClientFrame.DeleteItems delete) {
      return ServerMessages.lines(
          items.deleteMany(ServerMessages.of(delete.query(), caller.key())));
    }
    ClientFrame.DeletePartition delete = (ClientFrame.DeletePartition) write;
    return ServerMessages.lines(
        PartitionRoutes.deletes(items, delete.partition(), name, caller.done()));
  }

  private void requireFewWrites() {
    if (socket.writing() >= MAX_OPEN_WRITES) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "writes: more than " + MAX_OPEN_WRITES + " without an answer on a connection");
    }
  }

  private Subscription watch(ClientFrame.Watch watch, Database database) {
    int most = database.kv().limits().maxWatchedKeys();
    // checked before the keys take memory, even without credit
    ArgumentChecks.withinLimit("keys", watch.keys().size(), most);
    for (KvKey key : watch.keys()) {
      watch.operation().authorizeKey(caller.grant(), key.bytes());
    }
    return new WatchSubscription(socket, watch, database.kv().engine());
  }

  private void authorize(ClientFrame.Open open, KvRange range) {
    open.operation().authorizeRange(caller.grant(), range.startBytes(), range.endBytes());
  }

  private void requireFewLists() {
    if (socket.listing() >= MAX_LISTING) {
      throw new KvException(
          KvErrorCode.LIMIT_EXCEEDED,
          "changes with list, and queries: more than "
              + MAX_LISTING
              + " that have not sent all current entries or rows");
    }
  }
}
