package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of the routes.
 *
 * @param maxBodyBytes the maximum size of a request body that is read as a whole, and of one line
 *     of an import
 * @param maxBodiesBytes the maximum size of all such bodies together; a request above it is
 *     answered with 503
 * @param maxMemoryBytes the maximum memory of bodies, parsed bodies, KV Connect responses and
 *     WebSockets together; a request above it is answered with 503, or waits
 * @param backupDirectory the directory below which requests may write backups; null disables them
 * @param heartbeat the time without an event after which an event stream sends a heartbeat
 * @param stream the limits of WebSockets
 * @param allowLazy true if collections may use the indexing mode lazy, otherwise INVALID_POLICY
 */
public record RoutesOptions(
    int maxBodyBytes,
    long maxBodiesBytes,
    long maxMemoryBytes,
    @Nullable Path backupDirectory,
    Duration heartbeat,
    StreamOptions stream,
    boolean allowLazy) {
  /**
   * The default options: bodies of 16 MiB; an eighth of the heap, at least 64 MiB, for all bodies;
   * a third of the heap for all memory held for callers; no backups; a heartbeat after 15 s; no
   * lazy collections.
   */
  public static final RoutesOptions DEFAULT =
      new RoutesOptions(
          16 << 20,
          Math.max(64 << 20, Runtime.getRuntime().maxMemory() / 8),
          Runtime.getRuntime().maxMemory() / 3,
          null,
          Duration.ofSeconds(15),
          StreamOptions.DEFAULT,
          false);

  /** Returns these options with another maximum size of a body. */
  public RoutesOptions withMaxBodyBytes(int bytes) {
    return new RoutesOptions(
        bytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** Returns these options with another maximum size of all bodies together. */
  public RoutesOptions withMaxBodiesBytes(long bytes) {
    return new RoutesOptions(
        maxBodyBytes, bytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** Returns these options with another maximum of the memory held for callers. */
  public RoutesOptions withMaxMemoryBytes(long bytes) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, bytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** Returns these options with backups on request, in directories below {@code directory}. */
  public RoutesOptions withBackupDirectory(Path directory) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, directory, heartbeat, stream, allowLazy);
  }

  /** Returns these options with another interval of heartbeats, at least 1 ms. */
  public RoutesOptions withHeartbeat(Duration time) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, time, stream, allowLazy);
  }

  /** Returns these options with other limits of WebSockets. */
  public RoutesOptions withStream(StreamOptions newStream) {
    return new RoutesOptions(
        maxBodyBytes,
        maxBodiesBytes,
        maxMemoryBytes,
        backupDirectory,
        heartbeat,
        newStream,
        allowLazy);
  }

  /**
   * Returns these options with or without lazy collections. The options for operating a server can
   * allow them too.
   */
  public RoutesOptions withAllowLazy(boolean allow) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allow);
  }
}
