package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the routes behave.
 *
 * @param maxBodyBytes of a request that is read as a whole, and of a line of an import
 * @param maxBodiesBytes of all of these that are held at a time; a request that comes beyond is
 *     answered with 503
 * @param maxMemoryBytes that bodies, what they are parsed to, answers of KV Connect and WebSockets
 *     may hold at a time, all together; what comes beyond is answered with 503, or waits
 * @param backupDirectory below which backups may be written on request; null: none may
 * @param heartbeat after how long without an event a stream of events shows that it lives
 * @param stream bounds of WebSockets
 * @param allowLazy whether collections may get the indexing mode lazy, else INVALID_POLICY
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
   * Bodies of 16 MiB, of which an eighth of the heap is held, at least 64 MiB; a third of the heap
   * for all that callers make the server hold; no backups; a sign of life after 15 s; no lazy
   * collections.
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

  /** With another bound on bodies. */
  public RoutesOptions withMaxBodyBytes(int bytes) {
    return new RoutesOptions(
        bytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** With another bound on all bodies together. */
  public RoutesOptions withMaxBodiesBytes(long bytes) {
    return new RoutesOptions(
        maxBodyBytes, bytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** With another bound on all memory that callers make the server hold. */
  public RoutesOptions withMaxMemoryBytes(long bytes) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, bytes, backupDirectory, heartbeat, stream, allowLazy);
  }

  /** With backups on request, in directories below this one. */
  public RoutesOptions withBackupDirectory(Path directory) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, directory, heartbeat, stream, allowLazy);
  }

  /** With another time between signs of life; at least 1 ms. */
  public RoutesOptions withHeartbeat(Duration time) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, time, stream, allowLazy);
  }

  /** With other bounds of WebSockets. */
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

  /** With lazy collections, or without; a server allows them also by its operations. */
  public RoutesOptions withAllowLazy(boolean allow) {
    return new RoutesOptions(
        maxBodyBytes, maxBodiesBytes, maxMemoryBytes, backupDirectory, heartbeat, stream, allow);
  }
}
