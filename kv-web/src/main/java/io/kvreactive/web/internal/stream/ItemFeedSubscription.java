package io.kvreactive.web.internal.stream;

import io.kvreactive.Kv;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.web.internal.feed.Feed;
import io.kvreactive.web.internal.rest.RowText;

/** A subscription to the changes of a collection's items. */
final class ItemFeedSubscription extends FeedSubscription<ItemChanges<RowText.Ascii>> {
  ItemFeedSubscription(
      StreamSocket socket,
      ClientFrame.CollectionChanges requested,
      Kv kv,
      DocumentCollection<RowText.Ascii> collection) {
    super(
        socket,
        requested,
        kv,
        Feed.items(collection, requested.options(), item -> item.json().length()),
        false,
        requested.options().since());
  }

  @Override
  int writeNext() {
    ItemChanges<RowText.Ascii> commit = removeSent();
    if (commit.isBookmark()) {
      socket.frames().at(id, "bookmark", commit.versionstamp());
    } else {
      socket.frames().itemChanges(id, commit);
    }
    return send();
  }
}
