package io.kvreactive.connect.internal;

import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ClientEventLoop;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.RetryingCall;
import reactor.core.publisher.Mono;

/**
 * Makes calls of the data path, see {@link RetryingCall}. Attempts use the current metadata, and
 * after a failure the next endpoint. Metadata that a server rejects is requested again.
 */
final class RetryingCaller {
  /** An attempt, with the metadata that is valid at its time. */
  interface Attempt<T> {
    /**
     * @param endpoint the index of the endpoint, modulo their number
     * @param leftMillis the remaining time
     */
    Mono<T> with(DatabaseMetadata metadata, int endpoint, long leftMillis);
  }

  private final ClientEventLoop loop;
  private final HttpTransport transport;
  private final MetadataSession session;
  private final RemoteOptions options;
  private int endpoint;

  RetryingCaller(
      ClientEventLoop loop,
      HttpTransport transport,
      MetadataSession session,
      RemoteOptions options) {
    this.loop = loop;
    this.transport = transport;
    this.session = session;
    this.options = options;
  }

  /** Makes a call. */
  <T> Mono<T> run(Safety safety, Attempt<T> attempt) {
    return run(safety, options.budgetMillis(), attempt);
  }

  <T> Mono<T> run(Safety safety, long budgetMillis, Attempt<T> attempt) {
    return Mono.defer(
        () -> {
          RetryingCall call = new RetryingCall(transport, safety, options.backoff(), budgetMillis);
          return loop.enter().then(call.run(() -> attempt(call, attempt)));
        });
  }

  private <T> Mono<T> attempt(RetryingCall call, Attempt<T> attempt) {
    return session
        .current()
        .flatMap(
            metadata ->
                attempt
                    .with(metadata, endpoint, Math.max(1, call.leftMillis()))
                    .doOnError(failure -> session.failed(metadata, failure)))
        .doOnError(AttemptFailure.class, this::leaveEndpoint);
  }

  private void leaveEndpoint(AttemptFailure failure) {
    if (failure.kind() == Kind.UNKNOWN || failure.kind() == Kind.NOT_DONE) {
      endpoint++;
    }
  }
}
