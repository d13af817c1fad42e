package io.kvreactive.internal.store.log;

/**
 * How much of the log is kept that the image no longer needs: for those who follow the changes. A
 * full segment is dropped when either bound is exceeded.
 *
 * @param bytes of full segments
 * @param millis age of a segment's newest frame
 */
public record LogRetention(long bytes, long millis) {
  /** Only what the image needs. */
  public static final LogRetention NONE = new LogRetention(0, 0);
}
