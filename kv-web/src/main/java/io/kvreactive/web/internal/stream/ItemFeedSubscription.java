package io.kvreactive.web.internal.stream;

import static java.util.Objects.requireNonNull;

import io.kvreactive.Kv;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.web.internal.rest.RowText;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** A subscription to the changes of a collection's items. */
final class ItemFeedSubscription extends FeedSubscription<ItemChanges<RowText.Ascii>> {
  private final DocumentCollection<RowText.Ascii> collection;
  private final ChangeFeedOptions options;

  ItemFeedSubscription(
      StreamSocket socket,
      ClientFrame.CollectionChanges requested,
      Kv kv,
      DocumentCollection<RowText.Ascii> collection) {
    super(socket, requested, kv, false, requested.options().since());
    this.collection = collection;
    this.options = requested.options();
  }

  @Override
  Flux<ItemChanges<RowText.Ascii>> updates(@Nullable Versionstamp since) {
    return collection.changeFeed(options.withSince(requireNonNull(since)));
  }

  @Override
  boolean isFree(ItemChanges<RowText.Ascii> commit) {
    return commit.isBookmark();
  }

  @Override
  int bytes(ItemChanges<RowText.Ascii> commit) {
    long bytes = OBJECT_BYTES;
    for (ItemChanges.Change<RowText.Ascii> change : commit.changes()) {
      bytes += OBJECT_BYTES + bytes(change.previous());
      if (change instanceof ItemChanges.Change.Upsert<RowText.Ascii> upsert) {
        bytes += bytes(upsert.item());
      }
    }
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  private static int bytes(@Nullable Item<RowText.Ascii> item) {
    return item == null ? 0 : item.value().json().length();
  }

  @Override
  int writeNext() {
    ItemChanges<RowText.Ascii> commit = remove();
    if (commit.isBookmark()) {
      socket.frames().at(id, "bookmark", commit.versionstamp());
    } else {
      sent(1);
      socket.frames().itemChanges(id, commit);
    }
    sentUpTo(commit.versionstamp());
    return send();
  }
}
