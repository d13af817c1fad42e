package io.kvreactive.web;

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
   * @throws IllegalArgumentException if a value is not positive
   */
  public ConnectionOptions {
    check("max", max);
    check("maxPerAddress", maxPerAddress);
    check("maxStreams", maxStreams);
    check("maxUriBytes", maxUriBytes);
    check("maxHeaderBytes", maxHeaderBytes);
    check("headerTimeout", headerTimeout.toMillis());
    check("bodyTimeout", bodyTimeout.toMillis());
    check("idleTimeout", idleTimeout.toMillis());
    check("silenceTimeout", silenceTimeout.toMillis());
  }

  private static void check(String name, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: positive)");
    }
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
