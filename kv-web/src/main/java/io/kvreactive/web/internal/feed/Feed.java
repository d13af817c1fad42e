package io.kvreactive.web.internal.feed;

import io.kvreactive.ChangesOptions;
import io.kvreactive.Kv;
import io.kvreactive.KvChange;
import io.kvreactive.KvCommit;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvType;
import io.kvreactive.KvUpdate;
import io.kvreactive.KvValue;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.ChangeFeedOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.Item;
import io.kvreactive.documents.ItemChanges;
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

  private static Update<KvUpdate<KvValue>> update(KvUpdate<KvValue> update, AtomicBoolean listed) {
    if (update instanceof KvUpdate.Committed<KvValue> committed) {
      KvCommit<KvValue> commit = committed.commit();
      return new Update<>(
          update,
          bytes(commit),
          commit.isBookmark(),
          listed.getPlain() ? commit.versionstamp() : null);
    } else if (update instanceof KvUpdate.Synced<KvValue> synced) {
      listed.setPlain(true);
      return new Update<>(update, OBJECT_BYTES, true, synced.versionstamp());
    }
    KvEntry<KvValue> entry = ((KvUpdate.Listed<KvValue>) update).entry();
    int bytes = OBJECT_BYTES + bytes(entry.key(), entry.value(), null);
    return new Update<>(update, bytes, false, null);
  }

  /** Returns the estimated size of a commit in memory and on the wire, with its old values. */
  static int bytes(KvCommit<KvValue> commit) {
    int bytes = OBJECT_BYTES;
    for (KvChange<KvValue> change : commit.changes()) {
      bytes += OBJECT_BYTES + bytes(change);
    }
    return bytes;
  }

  private static int bytes(KvChange<KvValue> change) {
    if (change instanceof KvChange.Set<KvValue> set) {
      return bytes(set.key(), set.value(), set.oldValue());
    } else if (change instanceof KvChange.Delete<KvValue> delete) {
      return bytes(delete.key(), null, delete.oldValue());
    } else if (change instanceof KvChange.Expire<KvValue> expire) {
      return bytes(expire.key(), null, expire.oldValue());
    } else if (change instanceof KvChange.Touch<KvValue> touch) {
      return bytes(touch.key(), null, touch.oldValue());
    }
    return 0;
  }

  private static int bytes(KvKey key, @Nullable KvValue value, @Nullable KvValue old) {
    return key.bytes().length + bytes(value) + bytes(old);
  }

  private static int bytes(@Nullable KvValue value) {
    return value == null ? 0 : value.bytes().length;
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
