package io.kvreactive.web.internal.rest;

import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.Versionstamp;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import io.kvreactive.spi.StoredEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Finds the children of a prefix: the distinct next parts of the keys below it. Reads a few keys at
 * a time; when they end below a child it goes on behind that child, so however much is below one,
 * it costs two short reads.
 */
final class TreeWalk {
  /**
   * A key one part longer than the prefix.
   *
   * @param isKey whether there is such a key
   * @param hasChildren whether there are keys below it
   */
  record Child(KvKey key, boolean isKey, boolean hasChildren) {}

  private static final int KEYS_A_READ = 32;

  private final KvEngine engine;
  private final KvEngine.Snapshot snapshot;
  private final KvKey prefix;
  private final int depth;
  private final int limit;
  private final byte[] end;
  private final List<Child> children = new ArrayList<>();
  private byte[] start;
  private boolean done;
  private boolean more;

  /**
   * @param after the last child that is known already
   */
  TreeWalk(
      KvEngine engine, KvEngine.Snapshot snapshot, KvKey prefix, @Nullable KvKey after, int limit) {
    this.engine = engine;
    this.snapshot = snapshot;
    this.prefix = prefix;
    this.depth = prefix.size() + 1;
    this.limit = limit;
    KvRange all = KvRange.prefix(prefix);
    this.start = after == null ? all.startBytes() : KvRange.prefix(after).endBytes();
    this.end = all.endBytes();
  }

  /** Emits this when it has found them. */
  Mono<TreeWalk> run() {
    return Mono.defer(this::read).repeat(() -> !done).then(Mono.just(this));
  }

  List<Child> children() {
    return children;
  }

  Versionstamp versionstamp() {
    return snapshot.versionstamp();
  }

  /** The last child, when there are more behind it. */
  @Nullable KvKey resumeAfter() {
    return more ? children.get(children.size() - 1).key() : null;
  }

  private Mono<ReadResult> read() {
    ReadRange next = new ReadRange(start, end, KEYS_A_READ, false, true);
    return engine.read(List.of(next), snapshot).doOnNext(result -> take(result.pages().get(0)));
  }

  private void take(RangePage page) {
    for (StoredEntry entry : page.entries()) {
      if (!take(KvKey.fromEncoded(entry.key()))) {
        more = true;
        done = true;
        return;
      }
    }
    byte[] last = page.resumeAfter();
    if (last == null) {
      done = true;
      return;
    }
    Child child = children.get(children.size() - 1);
    start =
        child.hasChildren()
            ? KvRange.prefix(child.key()).endBytes()
            : Arrays.copyOf(last, last.length + 1);
  }

  /** Takes the next key; false when its child would be one too many. */
  private boolean take(KvKey key) {
    int last = children.size() - 1;
    if (last >= 0 && key.startsWith(children.get(last).key())) {
      Child known = children.get(last);
      children.set(last, new Child(known.key(), known.isKey(), true));
      return true;
    }
    if (children.size() == limit) {
      return false;
    }
    KvKey child = childOf(key);
    boolean isKey = child.bytes().length == key.bytes().length;
    children.add(new Child(child, isKey, !isKey));
    return true;
  }

  private KvKey childOf(KvKey key) {
    List<Object> parts = key.parts();
    KvKey child = KvKey.of(parts.subList(0, depth));
    if (key.startsWith(child)) {
      return child;
    }
    KvKey unusual = key; // its encoding is not what its parts give
    for (int size = parts.size(); size > depth; size--) {
      unusual = unusual.parent();
    }
    return unusual;
  }

  @Override
  public String toString() {
    return "TreeWalk[" + prefix + ", " + children.size() + "]";
  }
}
