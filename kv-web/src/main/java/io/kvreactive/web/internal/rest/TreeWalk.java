package io.kvreactive.web.internal.rest;

import io.kvreactive.KvException;
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
 * Finds the children of a prefix: the distinct next parts of the keys below it. A key whose next
 * part is malformed is a child of its own.
 *
 * <p>Reads 32 keys at a time. If they end below a child, the walk continues after that child's
 * keys. Thus each child costs at most two short reads, regardless of the number of keys below it.
 * For one walk.
 */
final class TreeWalk {
  /**
   * A child of the prefix: a key that is one part longer, or that continues the prefix with a
   * malformed part.
   *
   * @param isKey true if the key exists
   * @param hasChildren true if there are keys below the child; false if it is malformed
   */
  record Child(KvKey key, boolean isMalformed, boolean isKey, boolean hasChildren) {}

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
   * Creates a walk.
   *
   * @param first the first key that may give a child; not before the prefix
   * @param after the last child of the previous page, or null; see {@link #isChild}
   * @param limit the maximum number of children
   */
  TreeWalk(
      KvEngine engine,
      KvEngine.Snapshot snapshot,
      KvKey prefix,
      byte[] first,
      @Nullable KvKey after,
      int limit) {
    this.engine = engine;
    this.snapshot = snapshot;
    this.prefix = prefix;
    this.depth = prefix.size() + 1;
    this.limit = limit;
    this.start = after == null ? first : behind(after, depth);
    this.end = KvRange.prefix(prefix).endBytes();
  }

  /**
   * Returns true if a key may be a child of a prefix: it is one part longer, or has a malformed
   * next part.
   */
  static boolean isChild(KvKey key, KvKey prefix) {
    int depth = prefix.size() + 1;
    return key.startsWith(prefix)
        && key.bytes().length > prefix.bytes().length
        && (!hasPart(key, depth) || key.prefix(depth).equals(key));
  }

  /** Returns the first possible key after the child and all keys below it. */
  private static byte[] behind(KvKey child, int depth) {
    byte[] bytes = child.bytes();
    return hasPart(child, depth)
        ? KvRange.prefix(child).endBytes()
        : Arrays.copyOf(bytes, bytes.length + 1);
  }

  private static boolean hasPart(KvKey key, int depth) {
    try {
      var unused = key.part(depth - 1);
      return true;
    } catch (KvException e) {
      return false;
    }
  }

  /** Emits this walk when it has found the children. Emits on any thread. */
  Mono<TreeWalk> run() {
    return Mono.defer(this::read).repeat(() -> !done).then(Mono.just(this));
  }

  List<Child> children() {
    return children;
  }

  Versionstamp versionstamp() {
    return snapshot.versionstamp();
  }

  /** Returns the last child if more children follow, otherwise null. */
  @Nullable Child resumeAfter() {
    return more ? children.get(children.size() - 1) : null;
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
    start = child.hasChildren() ? behind(child.key(), depth) : Arrays.copyOf(last, last.length + 1);
  }

  /** Adds the next key. Returns false without adding if its child would exceed the limit. */
  private boolean take(KvKey key) {
    int last = children.size() - 1;
    Child known = last < 0 ? null : children.get(last);
    if (known != null && !known.isMalformed() && key.startsWith(known.key())) {
      children.set(last, new Child(known.key(), false, known.isKey(), true));
      return true;
    }
    if (children.size() == limit) {
      return false;
    }
    boolean isMalformed = !hasPart(key, depth);
    KvKey child = isMalformed ? key : key.prefix(depth);
    boolean isKey = child.bytes().length == key.bytes().length;
    children.add(new Child(child, isMalformed, isKey, !isKey));
    return true;
  }

  @Override
  public String toString() {
    return "TreeWalk[" + prefix + ", " + children.size() + "]";
  }
}
