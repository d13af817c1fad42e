package io.kvreactive.connect.internal;

import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.LimitsHeader;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.ServerUrls;
import io.vertx.core.MultiMap;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a database.
 *
 * @param version the protocol version
 * @param endpoints the endpoints that read and write the newest state; at least one
 * @param token the token for the data path
 * @param limits the limits of the server; null if it is not one of this project
 * @param sendsExpiry true if the server returns times of expiry
 */
record DatabaseMetadata(
    int version,
    UUID databaseId,
    List<URI> endpoints,
    String token,
    Instant expiresAt,
    @Nullable KvLimits limits,
    boolean sendsExpiry) {
  private static final int MAX_ENDPOINTS = 100;

  /** Returns true for a server of this project, which supports more than the protocol. */
  boolean ours() {
    return limits != null;
  }

  /**
   * Parses a response.
   *
   * @param requested the URL of the answer, to which endpoints are relative
   * @throws AttemptFailure if the response is malformed
   */
  static DatabaseMetadata parse(HttpAnswer answer, URI requested) {
    JsonObject json;
    try {
      json = new JsonObject(answer.body());
    } catch (DecodeException | ClassCastException e) {
      throw malformed("not a JSON object");
    }
    int version = version(json.getValue("version"));
    return new DatabaseMetadata(
        version,
        databaseId(text(json, "databaseId")),
        endpoints(json.getValue("endpoints"), requested, version),
        token(text(json, "token")),
        time(text(json, "expiresAt")),
        limits(answer.headers()),
        sendsExpiry(answer.headers()));
  }

  private static int version(@Nullable Object value) {
    if (!(value instanceof Integer version)
        || version < ConnectProtocol.OLDEST_VERSION
        || version > ConnectProtocol.NEWEST_VERSION) {
      throw malformed("version: " + value + " (expected: 1, 2 or 3)");
    }
    return version;
  }

  private static UUID databaseId(String text) {
    try {
      UUID id = UUID.fromString(text);
      if (id.toString().equalsIgnoreCase(text)) {
        return id;
      }
    } catch (IllegalArgumentException e) {
      throw malformed("databaseId: \"" + text + "\" (expected: a UUID)");
    }
    throw malformed("databaseId: \"" + text + "\" (expected: a UUID)");
  }

  private static List<URI> endpoints(@Nullable Object value, URI requested, int version) {
    if (!(value instanceof JsonArray array) || array.size() > MAX_ENDPOINTS) {
      throw malformed("endpoints: not a list of up to " + MAX_ENDPOINTS);
    }
    List<URI> strong = new ArrayList<>();
    for (Object element : array) {
      if (!(element instanceof JsonObject endpoint)) {
        throw malformed("endpoints: not a list of objects");
      }
      String consistency = text(endpoint, "consistency");
      if (!consistency.equals("strong") && !consistency.equals("eventual")) {
        throw malformed("consistency: \"" + consistency + "\" (expected: strong or eventual)");
      }
      URI url = endpoint(text(endpoint, "url"), requested, version);
      if (consistency.equals("strong")) {
        strong.add(url);
      }
    }
    if (strong.isEmpty()) {
      throw malformed("endpoints: no strongly consistent endpoint");
    }
    return List.copyOf(strong);
  }

  private static URI endpoint(String url, URI requested, int version) {
    URI resolved;
    try {
      URI given = new URI(url);
      resolved = version == 1 ? given : ServerUrls.resolve(requested, given);
    } catch (java.net.URISyntaxException e) {
      throw malformed("endpoint: \"" + url + "\"");
    }
    if (!ServerUrls.isHttp(resolved)
        || resolved.getQuery() != null
        || resolved.getFragment() != null) {
      throw malformed("endpoint: \"" + url + "\" (expected: http(s) without query)");
    }
    if (ServerUrls.isTls(requested) && !ServerUrls.isTls(resolved)) {
      throw malformed("endpoint: \"" + url + "\" (expected: https, as " + requested + " is)");
    }
    return ServerUrls.withoutSlash(resolved);
  }

  private static String token(String token) {
    if (!ServerUrls.isToken(token)) {
      throw malformed("token: not one that fits a header");
    }
    return token;
  }

  private static Instant time(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw malformed("expiresAt: \"" + text + "\" (expected: RFC 3339)");
    }
  }

  private static @Nullable KvLimits limits(MultiMap headers) {
    String header = headers.get(LimitsHeader.NAME);
    try {
      return header == null ? null : LimitsHeader.parse(header);
    } catch (KvException e) {
      throw malformed(e.detail());
    }
  }

  private static boolean sendsExpiry(MultiMap headers) {
    String header = headers.get(LimitsHeader.NAME);
    return header != null && LimitsHeader.sendsExpiry(header);
  }

  private static String text(JsonObject json, String name) {
    if (!(json.getValue(name) instanceof String text) || text.length() > 16 << 10) {
      throw malformed("no string \"" + name + "\"");
    }
    return text;
  }

  private static AttemptFailure malformed(String what) {
    return AttemptFailure.malformed("metadata: " + what);
  }
}
