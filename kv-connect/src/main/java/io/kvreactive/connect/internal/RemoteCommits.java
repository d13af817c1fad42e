package io.kvreactive.connect.internal;

import com.google.protobuf.InvalidProtocolBufferException;
import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.WireEntries;
import io.kvreactive.connect.wire.AtomicWrite;
import io.kvreactive.connect.wire.AtomicWriteOutput;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.spi.Commit;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Sends commits. */
final class RemoteCommits {
  private static final int ANSWER_BYTES = 1024;
  private static final int ANSWER_BYTES_PER_CHECK = 6;

  private final HttpTransport transport;
  private final RetryingCaller attempts;
  private final NewestVersion newest;

  RemoteCommits(HttpTransport transport, RetryingCaller attempts, NewestVersion newest) {
    this.transport = transport;
    this.attempts = attempts;
    this.newest = newest;
  }

  /**
   * Sends a commit, with retries where they are safe, see {@link Safety}.
   *
   * @param message the message of the commit
   */
  Mono<CommitResult> commit(Commit commit, AtomicWrite message) {
    Safety safety = commit.id() == null ? Safety.ONCE : Safety.CONDITIONAL;
    Buffer body = DataPathRequests.body(message);
    int checks = commit.checks().size();
    int maxBytes = ANSWER_BYTES + ANSWER_BYTES_PER_CHECK * checks;
    return attempts.run(
        safety,
        (metadata, endpoint, leftMillis) -> {
          URI uri = DataPathRequests.uri(metadata, endpoint, ConnectProtocol.ATOMIC_WRITE);
          return transport
              .send(
                  new HttpCall(
                      HttpMethod.POST,
                      uri,
                      headers(metadata, commit.id()),
                      body,
                      new Limits(maxBytes, 0, leftMillis, 0),
                      safety,
                      false))
              .map(answer -> result(answer, uri, checks));
        });
  }

  /** Returns the headers. The commit id is sent only to servers of this project. */
  private static MultiMap headers(DatabaseMetadata metadata, @Nullable String id) {
    MultiMap headers = DataPathRequests.headers(metadata);
    if (id == null) {
      return headers;
    }
    if (!metadata.ours()) {
      throw AttemptFailure.of(
          Kind.FINAL, KvErrorCode.UNSUPPORTED, "the server no longer supports commit ids");
    }
    return headers.add(
        ConnectProtocol.COMMIT_ID_HEADER,
        URLEncoder.encode(id, StandardCharsets.UTF_8).replace("%3A", ":"));
  }

  private CommitResult result(HttpAnswer answer, URI uri, int checks) {
    byte[] message = DataPathRequests.message(answer, uri);
    AtomicWriteOutput output;
    try {
      output = AtomicWriteOutput.parseFrom(message);
    } catch (InvalidProtocolBufferException e) {
      throw AttemptFailure.malformed("no AtomicWriteOutput: " + e.getMessage());
    }
    return switch (output.getStatus()) {
      case AW_SUCCESS -> committed(output);
      case AW_CHECK_FAILURE -> CommitResult.conflict(failedChecks(output, checks));
      case AW_WRITE_DISABLED ->
          throw AttemptFailure.of(
              Kind.STALE, KvErrorCode.FORBIDDEN, "the server takes no commits for this database");
      case AW_UNSPECIFIED, UNRECOGNIZED ->
          throw AttemptFailure.malformed("status of a commit: " + output.getStatusValue());
    };
  }

  private CommitResult committed(AtomicWriteOutput output) {
    try {
      Versionstamp stamp = WireEntries.versionstamp(output.getVersionstamp());
      newest.see(stamp);
      return CommitResult.committed(stamp);
    } catch (KvException e) {
      throw AttemptFailure.malformed(e.detail());
    }
  }

  /** Returns the failed checks; all checks if the server does not send them. */
  private static List<Integer> failedChecks(AtomicWriteOutput output, int checks) {
    if (checks == 0) {
      throw AttemptFailure.malformed("failed checks of a commit without any");
    }
    List<Integer> failed = output.getFailedChecksList().stream().distinct().sorted().toList();
    if (failed.isEmpty()) {
      return IntStream.range(0, checks).boxed().toList();
    }
    if (failed.get(0) < 0 || failed.get(failed.size() - 1) >= checks) {
      throw AttemptFailure.malformed("failed checks " + failed + " of " + checks);
    }
    return failed;
  }
}
