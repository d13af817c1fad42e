package io.kvreactive.internal.store.log;

/**
 * The rules by which a store skips versions, so that no versionstamp is ever assigned twice
 * (docs/adr/0016).
 */
public final class VersionSkip {
  /**
   * Maximum number of visible commits that are not known to be on the medium. A store that would
   * exceed it syncs its log first, which bounds the number of visible versions that a crash loses.
   */
  public static final long MAX_UNSYNCED = 1 << 20;

  /** Versions of a new history per millisecond since 1970: more than any store commits. */
  private static final int PER_MILLI_SHIFT = 10;

  private static final long MAX_MILLIS = Long.MAX_VALUE >> PER_MILLI_SHIFT + 1;

  private VersionSkip() {}

  /**
   * Returns the first version after a stop that was not orderly.
   *
   * @param last the last version that is known to have existed
   */
  static long afterCrash(long last) {
    return last + MAX_UNSYNCED + 2; // the version before it was never assigned
  }

  /**
   * Returns the first version of a store that continues a part of another history: a restored one,
   * or one whose log was cut. The end of the other history is unknown, so the version is derived
   * from the clock.
   *
   * @param last the last version that is known to have existed
   * @param millis the wall clock in milliseconds since 1970
   */
  public static long newHistory(long last, long millis) {
    long byClock = Math.max(0, Math.min(millis, MAX_MILLIS)) << PER_MILLI_SHIFT;
    return byClock > last ? byClock : afterCrash(last);
  }
}
