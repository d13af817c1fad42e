package io.kvreactive.connect.internal;

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
 * @param firstPauseMillis the maximum pause before the second attempt; doubles with each attempt
 * @param longestPauseMillis the upper limit of the maximum pause
 * @param silenceMillis the time without a byte, including pings, after which a watch reconnects
 * @param maxAnswerBytes the maximum size of a read's response or a watch's frame
 * @param clearText the HTTP version over http://; https:// negotiates one
 */
record RemoteOptions(
    long budgetMillis,
    long openMillis,
    long connectMillis,
    long headMillis,
    long firstPauseMillis,
    long longestPauseMillis,
    long silenceMillis,
    int maxAnswerBytes,
    HttpVersion clearText) {
  static final RemoteOptions DEFAULT =
      new RemoteOptions(
          30_000, 5_000, 5_000, 10_000, 50, 2_000, 30_000, 73 << 20, HttpVersion.HTTP_1_1);

  RemoteOptions withBudget(long millis) {
    return new RemoteOptions(
        millis,
        Math.min(openMillis, millis),
        connectMillis,
        Math.min(headMillis, millis),
        firstPauseMillis,
        longestPauseMillis,
        silenceMillis,
        maxAnswerBytes,
        clearText);
  }

  RemoteOptions withSilence(long millis) {
    return new RemoteOptions(
        budgetMillis,
        openMillis,
        connectMillis,
        headMillis,
        firstPauseMillis,
        longestPauseMillis,
        millis,
        maxAnswerBytes,
        clearText);
  }

  RemoteOptions withClearText(HttpVersion version) {
    return new RemoteOptions(
        budgetMillis,
        openMillis,
        connectMillis,
        headMillis,
        firstPauseMillis,
        longestPauseMillis,
        silenceMillis,
        maxAnswerBytes,
        version);
  }
}
