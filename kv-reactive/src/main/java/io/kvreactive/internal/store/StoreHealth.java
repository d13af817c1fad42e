package io.kvreactive.internal.store;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import org.jspecify.annotations.Nullable;

/**
 * Why a store takes no commits, when it does not: after a failure it never does again, after a full
 * disk it tries again soon. Any thread; but of a log without room only the thread that stages tells
 * and asks.
 */
final class StoreHealth {
  private static final long RETRY_FULL_DISK_NANOS = 200_000_000;

  private volatile @Nullable KvException failure;
  private volatile @Nullable KvException imageTrouble;
  private long fullSince;
  private @Nullable KvException full;

  /** The failure after which the store takes no more commits; null while there is none. */
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

  /** The same, and throws for a while when there was no room for the log. Staging thread. */
  void checkWritable() {
    checkNotFailed();
    KvException noRoom = full;
    if (noRoom != null && System.nanoTime() - fullSince < RETRY_FULL_DISK_NANOS) {
      throw noRoom;
    }
  }

  /** There was no room for the log. Staging thread. */
  void logFull(KvException noRoom) {
    full = noRoom;
    fullSince = System.nanoTime();
  }

  /** There is room for the log. Staging thread. */
  void logWritten() {
    full = null;
  }

  /** What keeps the image from being written; null when nothing does. */
  @Nullable KvException imageTrouble() {
    return imageTrouble;
  }

  /** The image could not be written: for want of room it is tried again. */
  void imageFailed(KvException trouble) {
    imageTrouble = trouble;
    if (trouble.code() != KvErrorCode.DISK_FULL) {
      failure = trouble;
    }
  }

  /** The image could be written. */
  void imageWritten() {
    imageTrouble = null;
  }

  /** What is wrong; null when nothing is. Staging thread. */
  @Nullable KvErrorCode trouble() {
    KvException image = imageTrouble;
    KvException trouble = failure != null ? failure : full != null ? full : image;
    return trouble == null ? null : trouble.code();
  }
}
