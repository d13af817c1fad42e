package io.kvreactive.connect.internal;

import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvLimits;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.ReadResult;
import java.net.URI;
import java.util.List;
import reactor.core.publisher.Mono;

/** Reads ranges at the newest version. */
final class RemoteReads {
  /**
   * Maximum number of ranges in a request, which is that of servers of this project for all limits.
   */
  static final int MAX_RANGES = 1000;

  private final HttpTransport transport;
  private final RetryingCaller attempts;
  private final NewestVersion newest;
  private final RemoteOptions options;

  RemoteReads(
      HttpTransport transport,
      RetryingCaller attempts,
      NewestVersion newest,
      RemoteOptions options) {
    this.transport = transport;
    this.attempts = attempts;
    this.newest = newest;
    this.options = options;
  }

  /**
   * Reads as many of the ranges as the server accepts in one request.
   *
   * @param ranges the ranges, at least one
   */
  Mono<ReadResult> read(List<ReadRange> ranges, KvLimits limits) {
    int most = Math.min(MAX_RANGES, limits.maxKeysPerGetMany());
    ReadPlan plan = ReadPlan.of(ranges, most, Math.max(most, limits.maxBatchSize()));
    return read(plan, limits);
  }

  /** Reads a plan, or a part of it if the response would be too large. */
  private Mono<ReadResult> read(ReadPlan plan, KvLimits limits) {
    return attempts
        .run(
            Safety.REPEATABLE,
            (metadata, endpoint, leftMillis) ->
                attempt(plan, limits, metadata, endpoint, leftMillis)
                    .onErrorResume(
                        failure -> plan.divisible() && isTooLarge(failure),
                        tooLarge -> Mono.empty()))
        .switchIfEmpty(Mono.defer(() -> read(plan.half(), limits)));
  }

  private static boolean isTooLarge(Throwable failure) {
    return failure instanceof AttemptFailure known
        && KvError.is(known.shown(), KvErrorCode.LIMIT_EXCEEDED);
  }

  private Mono<ReadResult> attempt(
      ReadPlan plan, KvLimits limits, DatabaseMetadata metadata, int endpoint, long leftMillis) {
    URI uri = DataPathRequests.uri(metadata, endpoint, ConnectProtocol.SNAPSHOT_READ);
    long most = plan.maxAnswerBytes(limits.maxReadKeyBytes(), limits.maxValueBytes());
    HttpCall request =
        DataPathRequests.read(
            uri,
            metadata,
            DataPathRequests.body(plan.message(metadata.sendsExpiry())),
            new Limits(
                (int) Math.min(most, options.maxAnswerBytes()),
                Math.min(leftMillis, options.headMillis()),
                leftMillis,
                0));
    Versionstamp atLeast = newest.seen();
    return transport.send(request).map(answer -> result(plan, answer, uri, metadata, atLeast));
  }

  private ReadResult result(
      ReadPlan plan, HttpAnswer answer, URI uri, DatabaseMetadata metadata, Versionstamp atLeast) {
    byte[] message = DataPathRequests.message(answer, uri);
    ReadResponseParser.Read read =
        ReadResponseParser.parse(message, plan.ranges(), metadata.version());
    Versionstamp newestOfServer = NewestVersion.of(answer.headers());
    Versionstamp version =
        newestOfServer != null ? newestOfServer : ReadResponseParser.later(atLeast, read.newest());
    newest.see(version);
    return new ReadResult(version, read.pages());
  }
}
