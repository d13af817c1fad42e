package io.kvreactive.web;

import java.time.Duration;

/**
 * What a connection may cost. None of these ends a stream that sends heartbeats.
 *
 * @param max connections at a time
 * @param maxPerAddress connections of one address at a time
 * @param maxStreams requests of one HTTP/2 connection at a time
 * @param maxUriBytes of a request's first line; longer is answered with 414
 * @param maxHeaderBytes of a request's headers; more is answered with 431
 * @param headerTimeout how long a new connection may take until its first request is read
 * @param bodyTimeout how long a body may take to come forward by another 1 KiB, or end
 * @param idleTimeout how long a connection is kept that has no request to answer
 * @param silenceTimeout how long a request may be answered with nothing moving in either direction
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
   * 10,000 connections, 1,000 of an address, 100 streams, 16 KiB for line and headers each; 10 s
   * for the first request, 30 s for a KiB of body, a minute idle, five minutes of silence.
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
   * @throws IllegalArgumentException when anything is not positive
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

  /** With other numbers of connections. */
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

  /** With another number of requests at a time on an HTTP/2 connection. */
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

  /** With other sizes of the first line and of the headers. */
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

  /** With other times for what callers send. */
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

  /** With other times in which nothing happens. */
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
