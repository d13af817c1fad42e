package io.kvreactive.web;

import io.kvreactive.KvException;
import io.kvreactive.internal.shared.ArgumentChecks;
import java.time.Duration;
import org.immutables.value.Value;

/**
 * Limits of connections. None of them ends a stream that sends heartbeats.
 *
 * @param max the maximum number of open connections
 * @param maxPerAddress the maximum number of open connections of one address
 * @param maxStreams the maximum number of concurrent requests on an HTTP/2 connection
 * @param maxUriBytes the maximum size of a request's first line; a longer one is answered with 414
 * @param maxHeaderBytes the maximum size of a request's headers; more is answered with 431
 * @param headerTimeout the maximum time from accepting a connection until its first request is read
 * @param bodyTimeout the maximum time in which a body must progress by another 1 KiB, or end
 * @param idleTimeout the time after which a connection without a request is closed
 * @param silenceTimeout the maximum time that a request may be answered without a byte in either
 *     direction
 */
@Value.Builder
public record ConnectionOptions(
    int max,
    int maxPerAddress,
    int maxStreams,
    int maxUriBytes,
    int maxHeaderBytes,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration idleTimeout,
    Duration silenceTimeout)
    implements WithConnectionOptions {
  private static final Duration MIN_TIME = Duration.ofMillis(1);

  /**
   * The default limits: 10,000 connections, 1,000 per address, 100 streams, 16 KiB each for line
   * and headers, 10 s for the first request, 30 s per KiB of body, one minute idle, five minutes of
   * silence.
   */
  public static final ConnectionOptions DEFAULT =
      new ConnectionOptionsBuilder()
          .max(10_000)
          .maxPerAddress(1_000)
          .maxStreams(100)
          .maxUriBytes(16 << 10)
          .maxHeaderBytes(16 << 10)
          .headerTimeout(Duration.ofSeconds(10))
          .bodyTimeout(Duration.ofSeconds(30))
          .idleTimeout(Duration.ofMinutes(1))
          .silenceTimeout(Duration.ofMinutes(5))
          .build();

  /**
   * @throws KvException INVALID_ARGUMENT if a number is below 1 or a time below 1 ms
   */
  public ConnectionOptions {
    ArgumentChecks.atLeast("max", max, 1);
    ArgumentChecks.atLeast("maxPerAddress", maxPerAddress, 1);
    ArgumentChecks.atLeast("maxStreams", maxStreams, 1);
    ArgumentChecks.atLeast("maxUriBytes", maxUriBytes, 1);
    ArgumentChecks.atLeast("maxHeaderBytes", maxHeaderBytes, 1);
    ArgumentChecks.atLeast("headerTimeout", headerTimeout, MIN_TIME);
    ArgumentChecks.atLeast("bodyTimeout", bodyTimeout, MIN_TIME);
    ArgumentChecks.atLeast("idleTimeout", idleTimeout, MIN_TIME);
    ArgumentChecks.atLeast("silenceTimeout", silenceTimeout, MIN_TIME);
  }

  /** Returns these options with other numbers of connections. */
  public ConnectionOptions withMax(int newMax, int newMaxPerAddress) {
    return withMax(newMax).withMaxPerAddress(newMaxPerAddress);
  }

  /** Returns these options with other maximum sizes of the first line and the headers. */
  public ConnectionOptions withHeadSizes(int uriBytes, int headerBytes) {
    return withMaxUriBytes(uriBytes).withMaxHeaderBytes(headerBytes);
  }

  /** Returns these options with other timeouts for receiving requests. */
  public ConnectionOptions withTimeouts(Duration header, Duration body) {
    return withHeaderTimeout(header).withBodyTimeout(body);
  }

  /** Returns these options with other timeouts for inactivity. */
  public ConnectionOptions withIdle(Duration idle, Duration silence) {
    return withIdleTimeout(idle).withSilenceTimeout(silence);
  }
}
