package io.kvreactive.internal.store.log;

/**
 * The retention of log segments that the image no longer needs, for change feeds and restores. A
 * full segment is dropped when either bound is exceeded.
 *
 * @param bytes the maximum bytes of full segments
 * @param millis the maximum age of a segment's newest frame, in milliseconds
 */
public record LogRetention(long bytes, long millis) {
  /** Keeps only what the image needs. */
  public static final LogRetention NONE = new LogRetention(0, 0);
}
