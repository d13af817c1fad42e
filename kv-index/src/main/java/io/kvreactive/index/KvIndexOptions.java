package io.kvreactive.index;

import java.time.InstantSource;

/**
 * How collections are kept. Immutable; start from {@link #DEFAULT}.
 *
 * @param root first part of all keys that collections use in the store
 * @param clock what {@code _ts} and expiry go by
 * @param allowLazy whether collections may get the indexing mode lazy, else INVALID_POLICY; those
 *     that have it may keep it
 * @param background whether this one builds indexes and removes expired items; several may, they do
 *     not get into each other's way
 */
public record KvIndexOptions(
    String root, InstantSource clock, boolean allowLazy, boolean background) {
  /** Below {@code "kvi"}, by the system's clock, without lazy collections. */
  public static final KvIndexOptions DEFAULT =
      new KvIndexOptions("kvi", InstantSource.system(), false, true);

  /** Below another first key part. */
  public KvIndexOptions withRoot(String root) {
    return new KvIndexOptions(root, clock, allowLazy, background);
  }

  /** By another clock. */
  public KvIndexOptions withClock(InstantSource clock) {
    return new KvIndexOptions(root, clock, allowLazy, background);
  }

  /** With lazy collections, or without. */
  public KvIndexOptions withAllowLazy(boolean allowLazy) {
    return new KvIndexOptions(root, clock, allowLazy, background);
  }

  /**
   * With background work, or leaving that to others: indexes of lazy collections lag until somebody
   * does it.
   */
  public KvIndexOptions withBackground(boolean background) {
    return new KvIndexOptions(root, clock, allowLazy, background);
  }
}
