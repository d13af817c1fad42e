package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reasons for which a store takes no commits: after a failure it never does again; without room
 * on the disk, or without file descriptors, it tries again soon. Thread-safe, but for the state of
 * the log, which belongs to the staging thread.
 */
final class StoreHealth {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);
  private static final long RETRY_NANOS = 200_000_000;

  private volatile @Nullable KvException failure;
  private volatile @Nullable KvException imageTrouble;
  private long refusedSince;
  private @Nullable KvException refused;

  /** Returns the failure after which the store takes no more commits; null while there is none. */
  @Nullable KvException failure() {
    return failure;
  }

  /** Takes no more commits from here on. */
  void fail(KvException cause) {
    failure = cause;
  }

  /** Throws the failure, if there is one. */
  void checkNotFailed() {
    KvException failed = failure;
    if (failed != null) {
      throw new KvException(failed.code(), "the store has failed: " + failed.detail(), failed);
    }
  }

  /**
   * The same, and throws for a while after the log could not be written. Must be called on the
   * staging thread.
   */
  void checkWritable() {
    checkNotFailed();
    KvException why = refused;
    if (why != null && !isLogRetryDue()) {
      throw why;
    }
  }

  /**
   * Returns true if the log could not be written, a while ago. Must be called on the staging
   * thread.
   */
  boolean isLogRetryDue() {
    return refused != null && System.nanoTime() - refusedSince >= RETRY_NANOS;
  }

  /**
   * Nothing could be written to the log; it is tried again. Must be called on the staging thread.
   */
  void logRefused(KvException why) {
    if (refused == null) {
      LOG.warn("the store takes no commits for now", why);
    }
    refused = why;
    refusedSince = System.nanoTime();
  }

  /** The log can be written. Must be called on the staging thread. */
  void logWritten() {
    if (refused != null) {
      LOG.info("the store takes commits again");
    }
    refused = null;
  }

  /** What keeps the image from being written, or null if nothing does. */
  @Nullable KvException imageTrouble() {
    return imageTrouble;
  }

  /** The image could not be written: for want of room or descriptors it is tried again. */
  void imageFailed(KvException trouble) {
    imageTrouble = trouble;
    if (trouble.code() == KvErrorCode.IO_FAILED) {
      failure = trouble;
    }
  }

  /** The image could be written. */
  void imageWritten() {
    imageTrouble = null;
  }

  /** What is wrong, or null if nothing is. Must be called on the staging thread. */
  @Nullable KvErrorCode trouble() {
    KvException image = imageTrouble;
    KvException trouble = failure != null ? failure : refused != null ? refused : image;
    return trouble == null ? null : trouble.code();
  }
}
