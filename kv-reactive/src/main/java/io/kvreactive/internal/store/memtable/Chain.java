package io.kvreactive.internal.store.memtable;

import io.kvreactive.KvValue;
import org.jspecify.annotations.Nullable;

/** The versions of one key, newest first. One thread changes it, any thread walks it. */
public final class Chain {
  static final class Link {
    final VersionedValue state;
    volatile @Nullable Link older;

    Link(VersionedValue state) {
      this.state = state;
    }

    int valueBytes() {
      KvValue value = state.value();
      return value == null ? 0 : value.bytes().length;
    }
  }

  private volatile @Nullable Link newest;

  Chain(Link first) {
    this.newest = first;
  }

  void push(Link link) {
    link.older = newest;
    newest = link;
  }

  /** When the newest version expires; 0 for never. */
  long expireAt() {
    Link link = newest;
    return link == null ? 0 : link.state.expireAt();
  }

  /** The newest version at or before {@code version}. */
  @Nullable Link at(long version) {
    Link link = newest;
    while (link != null && link.state.version() > version) {
      link = link.older;
    }
    return link;
  }

  /**
   * Cuts off what no reader at {@code keepFrom} or later can see.
   *
   * @return the bytes set free
   */
  long prune(long keepFrom, int overhead) {
    Link visible = at(keepFrom);
    if (visible == null) {
      return 0;
    }
    long freed = 0;
    for (Link link = visible.older; link != null; link = link.older) {
      freed += overhead + link.valueBytes();
    }
    visible.older = null;
    return freed;
  }

  /** Takes back versions after {@code version}; false when none is left. */
  boolean dropAfter(long version) {
    newest = at(version);
    return newest != null;
  }
}
