package io.kvreactive.web;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the routes behave.
 *
 * @param maxBodyBytes of a request that is read as a whole, and of a line of an import
 * @param backupDirectory below which backups may be written on request; null: none may
 * @param heartbeat after how long without an event a stream of events shows that it lives
 * @param stream bounds of WebSockets
 */
public record RoutesOptions(
    int maxBodyBytes, @Nullable Path backupDirectory, Duration heartbeat, StreamOptions stream) {
  public static final RoutesOptions DEFAULT =
      new RoutesOptions(16 << 20, null, Duration.ofSeconds(15), StreamOptions.DEFAULT);

  /** With another bound on bodies. */
  public RoutesOptions withMaxBodyBytes(int bytes) {
    return new RoutesOptions(bytes, backupDirectory, heartbeat, stream);
  }

  /** With backups on request, in directories below this one. */
  public RoutesOptions withBackupDirectory(Path directory) {
    return new RoutesOptions(maxBodyBytes, directory, heartbeat, stream);
  }

  /** With another time between signs of life; at least 1 ms. */
  public RoutesOptions withHeartbeat(Duration time) {
    return new RoutesOptions(maxBodyBytes, backupDirectory, time, stream);
  }

  /** With other bounds of WebSockets. */
  public RoutesOptions withStream(StreamOptions newStream) {
    return new RoutesOptions(maxBodyBytes, backupDirectory, heartbeat, newStream);
  }
}
