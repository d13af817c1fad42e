package io.kvreactive.web.internal.feed;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvCommit;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.ChangeFeedOptions;
import io.kvreactive.index.DocumentCollection;
import io.kvreactive.index.Item;
import io.kvreactive.index.ItemChanges;
import io.kvreactive.spi.ReadResult;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A change feed that responses and subscriptions read and may drop at any time: it continues after
 * a position. So a feed whose reader is slow costs only its position.
 *
 * @param <E> what the feed emits: a listed entry, a commit or a bookmark
 */
public interface Feed<E> {
  /** The estimated memory of an object besides its keys and values, in bytes. */
  int OBJECT_BYTES = 100;

  /**
   * An update of a feed.
   *
   * @param bytes its estimated size in memory
   * @param isPosition true if it only has a position, such as a bookmark
   * @param position the version after which the feed can continue after this update; null if it
   *     cannot, because the feed is listing
   */
  record Update<E>(E value, int bytes, boolean isPosition, @Nullable Versionstamp position) {}

  /**
   * Returns the updates after a version.
   *
   * @param position null for a list and the changes after it
   */
  Flux<Update<E>> after(@Nullable Versionstamp position);

  /** Emits the newest version, on any thread. */
  static Mono<Versionstamp> newest(Kv kv) {
    return kv.engine().read(List.of(), null).map(ReadResult::snapshot);
  }

  /** Returns the feed of the commits that change a range. It may begin with the entries. */
  static Feed<KvUpdate<KvValue>> range(Kv kv, KvRange range, ChangesOptions options) {
    KvType<KvValue> values = KvType.of(KvValue.class);
    return position -> {
      AtomicBoolean listed = new AtomicBoolean(position != null);
      Flux<KvUpdate<KvValue>> updates =
          position == null
              ? kv.listAndWatch(range, options, values)
              : kv.changes(range, position, options, values).map(KvUpdate.Committed::new);
      return updates.map(update -> update(update, listed));
    };
  }

  private static Update<KvUpdate<KvValue>> update(
      KvUpdate<KvValue> update, AtomicBoolean listed) {
    if (update instanceof KvUpdate.Committed<KvValue> committed) {
      KvCommit<KvValue> commit = committed.commit();
      return new Update<>(
          update,
          ChangeSize.of(commit),
          commit.isBookmark(),
          listed.getPlain() ? commit.versionstamp() : null);
    } else if (update instanceof KvUpdate.Synced<KvValue> synced) {
      listed.setPlain(true);
      return new Update<>(update, OBJECT_BYTES, true, synced.versionstamp());
    }
    KvUpdate.Listed<KvValue> listedEntry = (KvUpdate.Listed<KvValue>) update;
    KvValue value = listedEntry.entry().value();
    int bytes =
        OBJECT_BYTES
            + listedEntry.entry().key().bytes().length
            + (value == null ? 0 : value.bytes().length);
    return new Update<>(update, bytes, false, null);
  }

  /**
   * Returns the feed of the commits that change items of a collection.
   *
   * @param size returns the size of an item in bytes
   */
  static <R> Feed<ItemChanges<R>> items(
      DocumentCollection<R> collection, ChangeFeedOptions options, ToIntFunction<R> size) {
    return position ->
        collection
            .changeFeed(options.withSince(Objects.requireNonNull(position)))
            .map(
                commit ->
                    new Update<>(
                        commit, bytes(commit, size), commit.isBookmark(), commit.versionstamp()));
  }

  private static <R> int bytes(ItemChanges<R> commit, ToIntFunction<R> size) {
    long bytes = OBJECT_BYTES;
    for (ItemChanges.Change<R> change : commit.changes()) {
      bytes += OBJECT_BYTES + bytes(change.previous(), size);
      if (change instanceof ItemChanges.Change.Upsert<R> upsert) {
        bytes += bytes(upsert.item(), size);
      }
    }
    return (int) Math.min(Integer.MAX_VALUE, bytes);
  }

  private static <R> int bytes(@Nullable Item<R> item, ToIntFunction<R> size) {
    return item == null ? 0 : size.applyAsInt(item.value());
  }
}
