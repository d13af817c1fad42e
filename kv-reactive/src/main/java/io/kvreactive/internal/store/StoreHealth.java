package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reasons for which a store takes no commits. After a failure it takes none until it is opened
 * again; without disk space or file descriptors it tries again soon. Thread-safe, except for the
 * state of the log, which is confined to the store thread.
 */
public final class StoreHealth {
  private static final Logger LOG = LoggerFactory.getLogger(StoreHealth.class);
  private static final long RETRY_NANOS = 200_000_000;

  private volatile @Nullable KvException failure;
  private volatile @Nullable KvException imageError;
  private long refusedSince;
  private @Nullable KvException refused;

  /** Returns the failure after which the store takes no more commits, or null. */
  public @Nullable KvException failure() {
    return failure;
  }

  /** Makes the store reject all further commits. */
  public void fail(KvException cause) {
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
   * Throws the failure if there is one; for a while after the log could not be written, throws that
   * error. Must be called on the store thread.
   */
  void checkWritable() {
    checkNotFailed();
    KvException why = refused;
    if (why != null && !isLogRetryDue()) {
      throw why;
    }
  }

  /**
   * Returns true if a failed write of the log is due to be retried. Must be called on the store
   * thread.
   */
  boolean isLogRetryDue() {
    return refused != null && System.nanoTime() - refusedSince >= RETRY_NANOS;
  }

  /**
   * Records that nothing could be written to the log, which will be retried. Must be called on the
   * store thread.
   */
  void logRefused(KvException why) {
    if (refused == null) {
      LOG.warn("the store takes no commits until the log can be written", why);
    }
    refused = why;
    refusedSince = System.nanoTime();
  }

  /** Records that the log can be written. Must be called on the store thread. */
  void logWritten() {
    if (refused != null) {
      LOG.info("the store takes commits again");
    }
    refused = null;
  }

  /** Returns the error that keeps the image from being written, or null. */
  @Nullable KvException imageError() {
    return imageError;
  }

  /** Records that the image could not be written; without space or descriptors this is retried. */
  void imageFailed(KvException error) {
    imageError = error;
    if (error.code() == KvErrorCode.IO_FAILED) {
      failure = error;
    }
  }

  /** Records that the image could be written. */
  void imageWritten() {
    imageError = null;
  }

  /**
   * Returns the code of the current error, or null if there is none. Must be called on the store
   * thread.
   */
  @Nullable KvErrorCode errorCode() {
    KvException image = imageError;
    KvException error = failure != null ? failure : refused != null ? refused : image;
    return error == null ? null : error.code();
  }
}
