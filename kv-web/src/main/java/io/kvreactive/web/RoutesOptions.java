package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import org.immutables.value.Value;
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
 * @param heartbeat the time without an event after which an event stream sends a heartbeat; at
 *     least 1 ms
 * @param stream the limits of WebSockets
 * @param allowLazy true if collections may use the indexing mode lazy, otherwise INVALID_POLICY.
 *     The options for operating a server can allow it too
 */
@Value.Builder
public record RoutesOptions(
    int maxBodyBytes,
    long maxBodiesBytes,
    long maxMemoryBytes,
    @Nullable Path backupDirectory,
    Duration heartbeat,
    StreamOptions stream,
    boolean allowLazy)
    implements WithRoutesOptions {
  /**
   * The default options: bodies of 16 MiB; an eighth of the heap, at least 64 MiB, for all bodies;
   * a third of the heap for all memory held for callers; no backups; a heartbeat after 15 s; no
   * lazy collections.
   */
  public static final RoutesOptions DEFAULT =
      new RoutesOptionsBuilder()
              .maxBodyBytes(16 << 20)
              .maxBodiesBytes(Math.max(64 << 20, Runtime.getRuntime().maxMemory() / 8))
              .maxMemoryBytes(Runtime.getRuntime().maxMemory() / 3)
              .heartbeat(Duration.ofSeconds(15))
              .stream(StreamOptions.DEFAULT)
              .allowLazy(false)
              .build();
}
