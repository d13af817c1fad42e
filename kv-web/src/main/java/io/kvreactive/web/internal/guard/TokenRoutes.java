package io.kvreactive.web.internal.guard;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.json.JsonSyntax;
import io.kvreactive.json.Utf8;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.BodyLimits;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.TokenFile.Minted;
import io.kvreactive.web.internal.auth.TokenJson;
import io.kvreactive.web.internal.auth.TokenManager;
import io.kvreactive.web.internal.auth.TokenScope;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/** Routes {@code /api/v1/tokens}: create, list, rotate and revoke tokens. */
public final class TokenRoutes {
  private static final JsonMapper JSON = JsonSyntax.mapper();
  private static final int MAX_BODY_BYTES = 256 << 10;
  private static final Duration DEFAULT_GRACE = Duration.ofHours(1);
  private static final Duration MAX_GRACE = Duration.ofDays(30);

  private final FilterChain filters;

  private TokenRoutes(FilterChain filters) {
    this.filters = filters;
  }

  /**
   * Sets the handlers.
   *
   * @param bodyLimits the limits of request bodies
   */
  public static void mount(OperationHandlers handlers, FilterChain filters, BodyLimits bodyLimits) {
    TokenRoutes routes = new TokenRoutes(filters);
    BodyReader body = bodyLimits.reader(MAX_BODY_BYTES);
    handlers.on(Operation.LIST_TOKENS, routes::list);
    handlers.on(Operation.CREATE_TOKEN, body, routes::create);
    handlers.on(Operation.REVOKE_TOKEN, routes::revoke);
    handlers.on(Operation.ROTATE_TOKEN, body, routes::rotate);
  }

  private TokenManager manager() {
    TokenManager manager = filters.tokens();
    if (manager == null) {
      throw new KvException(KvErrorCode.UNSUPPORTED, "this server has no token file");
    }
    return manager;
  }

  private void list(RoutingContext context) {
    manager()
        .list()
        .onSuccess(
            entries -> {
              ObjectNode json = JSON.createObjectNode();
              ArrayNode tokens = json.putArray("tokens");
              entries.forEach(entry -> tokens.add(TokenJson.shown(entry)));
              answer(context, 200, json);
            })
        .onFailure(context::fail);
  }

  private void create(RoutingContext context) {
    JsonNode requested = read(context);
    String name = TokenJson.text(requested, "name");
    TokenScope scope = TokenJson.requestedScope(requested);
    manager()
        .create(name, scope)
        .onSuccess(
            minted -> {
              AuditEntries.done(context, "token.created")
                  .with("name", name)
                  .with("access", scope.access().toString())
                  .with("prefixes", String.valueOf(scope.prefixes().size())) // they are keys
                  .with("databases", scope.databases().toString())
                  .with("expiresAt", String.valueOf(scope.expiresAt()))
                  .log();
              answer(context, 201, json(minted));
            })
        .onFailure(context::fail);
  }

  private void revoke(RoutingContext context) {
    String name = RequestContext.of(context).name("name");
    manager()
        .revoke(name)
        .onSuccess(
            revoked -> {
              if (!revoked) {
                context.fail(
                    new WebException(WebErrorCode.NOT_FOUND, "token " + name + " not found"));
                return;
              }
              AuditEntries.done(context, "token.revoked").with("name", name).log();
              context.response().setStatusCode(204).end();
            })
        .onFailure(context::fail);
  }

  private void rotate(RoutingContext context) {
    String name = RequestContext.of(context).name("name");
    Duration grace = grace(context);
    manager()
        .list()
        .compose(
            entries -> {
              if (entries.stream().noneMatch(entry -> entry.name().equals(name))) {
                throw new WebException(WebErrorCode.NOT_FOUND, "token " + name + " not found");
              }
              return manager().rotate(name, grace);
            })
        .onSuccess(
            minted -> {
              AuditEntries.done(context, "token.rotated")
                  .with("name", name)
                  .with("grace", grace.toString())
                  .log();
              answer(context, 200, json(minted));
            })
        .onFailure(context::fail);
  }

  private static Duration grace(RoutingContext context) {
    if (BodyReader.length(context) == 0) {
      return DEFAULT_GRACE;
    }
    JsonNode millis = read(context).path("graceMs");
    if (millis.isMissingNode()) {
      return DEFAULT_GRACE;
    }
    if (!millis.isIntegralNumber()
        || !millis.canConvertToLong()
        || millis.asLong() < 0
        || millis.asLong() > MAX_GRACE.toMillis()) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST,
          "graceMs: %s (expected: 0 to %d)".formatted(millis, MAX_GRACE.toMillis()));
    }
    return Duration.ofMillis(millis.asLong());
  }

  private static JsonNode read(RoutingContext context) {
    try {
      JsonNode json = JSON.readTree(Utf8.decodeDocument(BodyReader.bytes(context)));
      if (json != null && json.isObject()) {
        return json;
      }
    } catch (JsonProcessingException e) {
      throw new WebException(
          WebErrorCode.BAD_REQUEST, "body at " + JsonSyntax.describe(e) + " (expected: JSON)");
    } catch (KvException e) {
      throw new WebException(WebErrorCode.BAD_REQUEST, "body: " + e.detail());
    }
    throw new WebException(WebErrorCode.BAD_REQUEST, "body: (expected: a JSON object)");
  }

  private static ObjectNode json(Minted minted) {
    return TokenJson.shown(minted.entry()).put("token", minted.secret());
  }

  private static void answer(RoutingContext context, int status, ObjectNode json) {
    context
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .putHeader("Cache-Control", "no-store");
    ResponseBodies.send(context, json);
  }
}
