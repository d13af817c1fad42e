package io.kvreactive.web.internal.connect;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.LimitsHeader;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.RequestHandlers;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers the metadata exchange with the address of the data path, the id of the database, and the
 * time until which both are valid.
 */
final class MetadataHandler implements Handler<RoutingContext> {
  /**
   * Validity of the metadata. Clients repeat the exchange about once a minute. Clients with
   * metadata that is valid for less than 5 minutes repeat it every time.
   */
  private static final Duration VALID = Duration.ofDays(1);

  /**
   * Minimum validity of the metadata. The protocol requires one hour; a minute is added for latency
   * and clock differences. It also applies to a token that expires sooner: otherwise clients would
   * repeat the exchange continuously. An expired token is rejected in any case.
   */
  private static final Duration MIN_VALID = Duration.ofMinutes(61);

  /** The token in the response if the server requires none. Some clients reject an empty token. */
  private static final String ANY_TOKEN = "open";

  private static final JsonMapper JSON = JsonSyntax.mapper();

  private final int maxBodyBytes;

  /**
   * Creates a handler.
   *
   * @param maxBodyBytes the maximum body size of the data path
   */
  MetadataHandler(int maxBodyBytes) {
    this.maxBodyBytes = maxBodyBytes;
  }

  @Override
  public void handle(RoutingContext context) {
    int version = version(BodyReader.bytes(context));
    RequestHandlers.whenCreated(context, () -> answer(context, version));
  }

  private void answer(RoutingContext context, int version) {
    RequestContext requestContext = RequestContext.of(context);
    String token = RequestHandlers.token(context.request());
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.put("version", version);
    answer.put("databaseId", requestContext.database().id().toString());
    answer
        .putArray("endpoints")
        .addObject()
        .put("url", endpoint(context.request(), version))
        .put("consistency", "strong");
    answer.put("token", token == null ? ANY_TOKEN : token);
    answer.put(
        "expiresAt",
        expiresAt(requestContext.grant().clock().instant(), requestContext.grant().expiresAt())
            .toString());
    context
        .response()
        .putHeader("Content-Type", ConnectProtocol.JSON)
        .putHeader("Cache-Control", "no-store")
        .putHeader(LimitsHeader.NAME, LimitsHeader.print(limits(requestContext.kv().limits())))
        .end(answer.toString());
  }

  /**
   * Returns the limits of one request. Clients of this project respect them; other clients have
   * limits of their own.
   */
  private KvLimits limits(KvLimits limits) {
    return limits
        .withMaxKeysPerGetMany(Math.min(limits.maxKeysPerGetMany(), SnapshotReadHandler.MAX_RANGES))
        .withMaxWatchedKeys(Math.min(limits.maxWatchedKeys(), WatchHandler.MAX_KEYS))
        .withMaxCommitBytes(Math.min(limits.maxCommitBytes(), maxBodyBytes / 4 * 3));
  }

  /**
   * Returns the newest protocol version that client and server support. A client that sends no body
   * supports version 1 only.
   */
  private static int version(byte[] body) {
    if (body.length == 0) {
      return ConnectProtocol.OLDEST_VERSION;
    }
    int newest = 0;
    for (JsonNode version : supported(body)) {
      if (!version.isInt()) {
        throw expected("supportedVersions: not all are whole numbers");
      }
      if (version.intValue() <= ConnectProtocol.NEWEST_VERSION) {
        newest = Math.max(newest, version.intValue());
      }
    }
    if (newest < ConnectProtocol.OLDEST_VERSION) {
      throw expected("supportedVersions: none is supported by this server");
    }
    return newest;
  }

  private static JsonNode supported(byte[] body) {
    JsonNode request;
    try {
      request = JSON.readTree(Utf8.decodeDocument(body));
    } catch (JsonProcessingException e) {
      throw expected("not JSON at " + JsonSyntax.describe(e));
    } catch (KvException e) {
      throw expected(e.detail());
    }
    JsonNode versions = request == null ? null : request.get("supportedVersions");
    if (versions == null || !versions.isArray()) {
      throw expected("supportedVersions: not an array");
    }
    return versions;
  }

  private static WebException expected(String wrong) {
    return new WebException(
        WebErrorCode.BAD_REQUEST,
        wrong + " (expected: {\"supportedVersions\":[…]} with 1, 2 or 3, or no body for 1)");
  }

  /**
   * Returns the URL of the data path. From version 2 on, the URL is relative to the requested URL.
   * Thus it is valid behind a proxy that serves this server below another path, and for a mounted
   * router.
   */
  private static String endpoint(HttpServerRequest request, int version) {
    String path = request.path();
    String database = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    if (version > 1) {
      String last = database.substring(database.lastIndexOf('/') + 1);
      return (path.endsWith("/") || last.isEmpty() ? "." : "./" + last) + ConnectRoutes.DATA_PATH;
    }
    HostAndPort authority = request.authority();
    String host = authority == null ? String.valueOf(request.localAddress()) : authority.toString();
    return request.scheme() + "://" + host + database + ConnectRoutes.DATA_PATH;
  }

  /**
   * Returns the expiry of the metadata: that of the token if it is earlier than a day from now, but
   * at least 61 minutes from now. In whole seconds, which every client can parse.
   */
  private static Instant expiresAt(Instant now, @Nullable Instant tokenEnds) {
    Instant least = now.plus(MIN_VALID);
    Instant end = now.plus(VALID);
    if (tokenEnds != null && tokenEnds.isBefore(end)) {
      end = tokenEnds.isAfter(least) ? tokenEnds : least;
    }
    return end.truncatedTo(ChronoUnit.SECONDS);
  }
}
