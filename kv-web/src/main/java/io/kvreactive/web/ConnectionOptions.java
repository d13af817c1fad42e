package io.kvreactive.web;

import java.time.Duration;

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
public record ConnectionOptions(
    int max,
    int maxPerAddress,
    int maxStreams,
    int maxUriBytes,
    int maxHeaderBytes,
    Duration headerTimeout,
    Duration bodyTimeout,
    Duration idleTimeout,
    Duration silenceTimeout) {
  /**
   * The default limits: 10,000 connections, 1,000 per address, 100 streams, 16 KiB each for line
   * and headers, 10 s for the first request, 30 s per KiB of body, one minute idle, five minutes of
   * silence.
   */
  public static final ConnectionOptions DEFAULT =
      new ConnectionOptions(
          10_000,
          1_000,
          100,
          16 << 10,
          16 << 10,
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofMinutes(1),
          Duration.ofMinutes(5));

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
    return new ConnectionOptions(
        newMax,
        newMaxPerAddress,
        maxStreams,
        maxUriBytes,
        maxHeaderBytes,
        headerTimeout,
        bodyTimeout,
        idleTimeout,
        silenceTimeout);
  }

  /** Returns these options with another number of concurrent requests per HTTP/2 connection. */
  public ConnectionOptions withMaxStreams(int streams) {
    return new ConnectionOptions(
        max,
        maxPerAddress,
        streams,
        maxUriBytes,
        maxHeaderBytes,
        headerTimeout,
        bodyTimeout,
        idleTimeout,
        silenceTimeout);
  }

  /** Returns these options with other maximum sizes of the first line and the headers. */
  public ConnectionOptions withHeadSizes(int uriBytes, int headerBytes) {
    return new ConnectionOptions(
        max,
        maxPerAddress,
        maxStreams,
        uriBytes,
        headerBytes,
        headerTimeout,
        bodyTimeout,
        idleTimeout,
        silenceTimeout);
  }

  /** Returns these options with other timeouts for receiving requests. */
  public ConnectionOptions withTimeouts(Duration header, Duration body) {
    return new ConnectionOptions(
        max,
        maxPerAddress,
        maxStreams,
        maxUriBytes,
        maxHeaderBytes,
        header,
        body,
        idleTimeout,
        silenceTimeout);
  }

  /** Returns these options with other timeouts for inactivity. */
  public ConnectionOptions withIdle(Duration idle, Duration silence) {
    return new ConnectionOptions(
        max,
        maxPerAddress,
        maxStreams,
        maxUriBytes,
        maxHeaderBytes,
        headerTimeout,
        bodyTimeout,
        idle,
        silence);
  }
}
