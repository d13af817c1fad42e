package io.kvreactive.web.internal.auth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls files on a worker thread and reloads them after a change of size, modification time or
 * identity.
 */
public final class FileWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);
  private static final String ABSENT = "absent";

  private final Vertx vertx;
  private final List<Path> files;
  private final Supplier<Future<?>> changed;
  private final long timer;
  private List<String> seen;
  private boolean polling;
  private boolean stopped;

  /**
   * Starts watching.
   *
   * @param seen the {@link #stamps} from before the files were read for the first time
   * @param changed reloads the files, on an event loop; if it fails, the previous content remains
   *     in effect until the next change
   */
  public FileWatcher(
      Vertx vertx,
      List<Path> files,
      List<String> seen,
      Duration pause,
      Supplier<Future<?>> changed) {
    this.vertx = vertx;
    this.files = List.copyOf(files);
    this.seen = seen;
    this.changed = changed;
    this.timer = vertx.setPeriodic(pause.toMillis(), tick -> poll());
  }

  /** Returns the size, modification time and identity of each file. Blocks. */
  public static List<String> stamps(List<Path> files) {
    return files.stream().map(FileWatcher::stamp).toList();
  }

  private static String stamp(Path file) {
    try {
      BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
      return is.lastModifiedTime() + " " + is.size() + " " + is.fileKey();
    } catch (IOException e) {
      return ABSENT;
    }
  }

  private synchronized void poll() {
    if (polling || stopped) {
      return;
    }
    polling = true;
    vertx
        .executeBlocking(() -> stamps(files), false)
        .compose(this::reloadIfChanged)
        .onComplete(
            done -> pollEnded(),
            failed -> {
              logFailure(failed);
              pollEnded();
            });
  }

  private synchronized Future<?> reloadIfChanged(List<String> now) {
    if (stopped || now.equals(seen)) {
      return Future.succeededFuture();
    }
    seen = now;
    return changed.get();
  }

  private synchronized void logFailure(Throwable failed) {
    if (!stopped) {
      LOG.error(
          "{} changed but cannot be reloaded; the previous content remains in effect",
          files,
          failed);
    }
  }

  private synchronized void pollEnded() {
    polling = false;
  }

  /** Stops watching. A poll in progress reports neither changes nor failures. Idempotent. */
  public synchronized void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }
}
