package io.kvreactive.connect.internal;

import io.kvreactive.http.client.RetryingCall.Backoff;
import io.vertx.core.http.HttpVersion;

/**
 * The timeouts and limits of a client.
 *
 * @param budgetMillis the maximum time of a call, including retries
 * @param openMillis the same for the first metadata exchange, so that a wrong address is reported
 *     soon
 * @param connectMillis the maximum time to connect
 * @param headMillis the maximum time until the head of a response to a read; commits have the
 *     budget
 * @param backoff the pauses between attempts
 * @param silenceMillis the time without a byte, including pings, after which a watch reconnects
 * @param maxAnswerBytes the maximum size of a read's response or a watch's frame
 * @param clearText the HTTP version over http://; https:// negotiates one
 */
record RemoteOptions(
    long budgetMillis,
    long openMillis,
    long connectMillis,
    long headMillis,
    Backoff backoff,
    long silenceMillis,
    int maxAnswerBytes,
    HttpVersion clearText) {
  static final RemoteOptions DEFAULT =
      new RemoteOptions(
          30_000, 5_000, 5_000, 10_000, Backoff.DEFAULT, 30_000, 73 << 20, HttpVersion.HTTP_1_1);
}
