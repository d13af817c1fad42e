package io.kvreactive.connect.internal;

import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpCall;
import io.kvreactive.http.client.HttpCall.Limits;
import io.kvreactive.http.client.HttpCall.Safety;
import io.kvreactive.http.client.HttpTransport;
import io.kvreactive.http.client.ServerUrls;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Requests the metadata of a database from a server. Follows a limited number of redirects. The
 * token is sent only to its own origin, and never after a redirect from https to http.
 */
final class MetadataExchange {
  private static final int MAX_REDIRECTS = 5;
  private static final int MAX_BYTES = 256 << 10;
  private static final Buffer BODY = Buffer.buffer("{\"supportedVersions\":[1,2,3]}");

  private final HttpTransport transport;
  private final URI url;
  private final String token;
  private final RemoteOptions options;

  MetadataExchange(HttpTransport transport, URI url, String token, RemoteOptions options) {
    this.transport = transport;
    this.url = url;
    this.token = token;
    this.options = options;
  }

  /** Performs one exchange. Fails with an {@link AttemptFailure}, always without an effect. */
  Mono<DatabaseMetadata> exchange() {
    return Mono.defer(() -> requestMetadata(url, 0))
        .onErrorMap(AttemptFailure.class, this::nothingDone);
  }

  /**
   * Returns the failure as one without an effect, so that a data path request may be retried after
   * it.
   */
  private AttemptFailure nothingDone(AttemptFailure failure) {
    return switch (failure.kind()) {
      case UNKNOWN -> new AttemptFailure(Kind.NOT_DONE, failure.shown(), 0);
      case STALE, TOO_LARGE -> new AttemptFailure(Kind.FINAL, failure.shown(), 0);
      case NOT_DONE, FINAL -> failure;
    };
  }

  private Mono<DatabaseMetadata> requestMetadata(URI at, int redirects) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add(HttpHeaders.CONTENT_TYPE, ConnectProtocol.JSON)
            .add(HttpHeaders.ACCEPT, ConnectProtocol.JSON);
    if (ServerUrls.sameOrigin(at, url)) {
      headers.add(HttpHeaders.AUTHORIZATION, "Bearer " + token);
    }
    HttpCall request =
        new HttpCall(
            HttpMethod.POST,
            at,
            headers,
            BODY,
            new Limits(MAX_BYTES, 0, options.headMillis(), 0),
            Safety.REPEATABLE,
            true);
    return transport
        .send(request)
        .flatMap(
            answer -> {
              String location = answer.headers().get(HttpHeaders.LOCATION);
              return switch (answer.status()) {
                case 200 -> Mono.just(DatabaseMetadata.parse(answer, at));
                case 301, 302, 303, 307, 308 ->
                    requestMetadata(target(at, location, redirects), redirects + 1);
                default -> Mono.error(ErrorResponses.of(at, answer));
              };
            });
  }

  private static URI target(URI from, @Nullable String location, int redirects) {
    if (redirects == MAX_REDIRECTS) {
      throw AttemptFailure.malformed("more than " + MAX_REDIRECTS + " redirects, to " + from);
    }
    URI target;
    try {
      target = location == null ? null : ServerUrls.resolve(from, new URI(location));
    } catch (URISyntaxException e) {
      target = null;
    }
    if (target == null || !ServerUrls.isHttp(target)) {
      throw AttemptFailure.malformed("redirect from " + from + " to \"" + location + "\"");
    }
    if (ServerUrls.isTls(from) && !ServerUrls.isTls(target)) {
      throw AttemptFailure.malformed("redirect from https to " + target);
    }
    return target;
  }
}
