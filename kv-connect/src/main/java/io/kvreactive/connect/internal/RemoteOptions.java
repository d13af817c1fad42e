package io.kvreactive.connect.internal;

import io.vertx.core.http.HttpVersion;

/**
 * How patient the client is, and how much it takes.
 *
 * @param budgetMillis how long a call is tried again, all attempts together
 * @param openMillis the same for the first metadata exchange, so that a wrong address is told soon
 * @param connectMillis how long a connection may take
 * @param headMillis how long the head of an answer to a read may take; commits have the budget
 * @param firstPauseMillis bound of the pause before the second attempt; doubles with each
 * @param longestPauseMillis where that ends
 * @param silenceMillis after how long without a byte, pings included, a watch is begun anew
 * @param maxAnswerBytes of a read or a watch's frame
 * @param clearText the version that is spoken over http://; https:// agrees on one
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
