package io.kvreactive.web.internal.files;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls files off the event loop and reloads them after a change of size, modification time, or
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
  private boolean looking;
  private boolean stopped;

  private FileWatcher(
      Vertx vertx,
      List<Path> files,
      List<String> seen,
      Duration pause,
      Supplier<Future<?>> changed) {
    this.vertx = vertx;
    this.files = List.copyOf(files);
    this.seen = seen;
    this.changed = changed;
    this.timer = vertx.setPeriodic(pause.toMillis(), tick -> look());
  }

  /**
   * Starts watching.
   *
   * @param seen the {@link #stamps} from before the files were read for the first time
   * @param changed reloads the files, on an event loop; if it fails, the old content stays in
   *     effect until the next change
   */
  public static FileWatcher start(
      Vertx vertx,
      List<Path> files,
      List<String> seen,
      Duration pause,
      Supplier<Future<?>> changed) {
    return new FileWatcher(vertx, files, seen, pause, changed);
  }

  /** Returns size, modification time and identity of the files. Blocks. */
  public static List<String> stamps(List<Path> files) {
    List<String> stamps = new ArrayList<>();
    for (Path file : files) {
      stamps.add(stamp(file));
    }
    return stamps;
  }

  private static String stamp(Path file) {
    try {
      BasicFileAttributes is = Files.readAttributes(file, BasicFileAttributes.class);
      return is.lastModifiedTime() + " " + is.size() + " " + is.fileKey();
    } catch (IOException e) {
      return ABSENT;
    }
  }

  private synchronized void look() {
    if (looking || stopped) {
      return;
    }
    looking = true;
    vertx
        .executeBlocking(() -> stamps(files), false)
        .compose(this::compare)
        .onComplete(
            done -> looked(),
            failed -> {
              tell(failed);
              looked();
            });
  }

  private synchronized Future<?> compare(List<String> now) {
    if (stopped || now.equals(seen)) {
      return Future.succeededFuture();
    }
    seen = now;
    return changed.get();
  }

  private synchronized void tell(Throwable failed) {
    if (!stopped) {
      LOG.error("{} changed, and what was read before stays in force", files, failed);
    }
  }

  private synchronized void looked() {
    looking = false;
  }

  /** Stops watching: a poll in progress reports neither changes nor failures. */
  public synchronized void stop() {
    stopped = true;
    vertx.cancelTimer(timer);
  }
}
