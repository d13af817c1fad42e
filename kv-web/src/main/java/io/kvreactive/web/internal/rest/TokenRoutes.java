package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.protocol.JsonForm;
import io.kvreactive.web.WebErrorCode;
import io.kvreactive.web.WebException;
import io.kvreactive.web.internal.BodyLimits;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.auth.TokenFile.Minted;
import io.kvreactive.web.internal.auth.TokenJson;
import io.kvreactive.web.internal.auth.TokenManager;
import io.kvreactive.web.internal.auth.TokenScope;
import io.kvreactive.web.internal.guard.FilterChain;
import io.kvreactive.web.internal.http.AuditEntries;
import io.kvreactive.web.internal.http.BodyReader;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.RequestContext;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;

/** Routes {@code /api/v1/tokens}: create, list, rotate and revoke tokens. */
public final class TokenRoutes {
  private static final int MAX_BODY_BYTES = 256 << 10;
  private static final Duration DEFAULT_GRACE = Duration.ofHours(1);
  private static final Duration MAX_GRACE = Duration.ofDays(30);

  private final FilterChain filters;

  /** The request to create a token. */
  private record NewToken(String name, TokenScope scope) {}

  private TokenRoutes(FilterChain filters) {
    this.filters = filters;
  }

  /**
   * Sets the handlers.
   *
   * @param bodyLimits the limits of request bodies
   */
  public static void mount(OperationHandlers handlers, FilterChain filters, BodyLimits bodyLimits) {
    TokenRoutes tokens = new TokenRoutes(filters);
    OperationRoutes routes = new OperationRoutes(handlers, bodyLimits, MAX_BODY_BYTES);
    routes.plain(Operation.LIST_TOKENS, tokens::list);
    routes.body(Operation.CREATE_TOKEN, TokenRoutes::newToken, tokens::create);
    routes.plain(Operation.REVOKE_TOKEN, tokens::revoke);
    routes.optionalBody(Operation.ROTATE_TOKEN, TokenRoutes::grace, tokens::rotate);
  }

  private TokenManager manager() {
    TokenManager manager = filters.tokens();
    if (manager == null) {
      throw new KvException(KvErrorCode.UNSUPPORTED, "this server has no token file");
    }
    return manager;
  }

  private void list(RoutingContext context) {
    QueryParams.of(context);
    manager()
        .list()
        .onComplete(
            entries -> {
              ObjectNode json = StrictJson.object();
              ArrayNode tokens = json.putArray("tokens");
              entries.forEach(entry -> tokens.add(TokenJson.shown(entry)));
              answer(context, 200, json);
            },
            context::fail);
  }

  private static NewToken newToken(RoutingContext context) {
    QueryParams.of(context);
    JsonNode json = OperationRoutes.json(context);
    if (!json.isObject()) {
      throw StrictJson.bad("body: (expected: a JSON object)");
    }
    return new NewToken(TokenJson.text(json, "name"), TokenJson.requestedScope(json));
  }

  private void create(RoutingContext context, NewToken token) {
    String name = token.name();
    TokenScope scope = token.scope();
    manager()
        .create(name, scope)
        .onComplete(
            minted -> {
              AuditEntries.done(context, "token.created")
                  .with("name", name)
                  .with("access", scope.access().toString())
                  .with("prefixes", String.valueOf(scope.prefixes().size())) // they are keys
                  .with("databases", scope.databases().toString())
                  .with("expiresAt", String.valueOf(scope.expiresAt()))
                  .log();
              answer(context, 201, json(minted));
            },
            context::fail);
  }

  private void revoke(RoutingContext context) {
    QueryParams.of(context);
    String name = RequestContext.of(context).name("name");
    manager()
        .revoke(name)
        .onComplete(
            revoked -> {
              if (!revoked) {
                context.fail(
                    new WebException(WebErrorCode.NOT_FOUND, "token " + name + " not found"));
                return;
              }
              AuditEntries.done(context, "token.revoked").with("name", name).log();
              context.response().setStatusCode(204).end();
            },
            context::fail);
  }

  private void rotate(RoutingContext context, Duration grace) {
    String name = RequestContext.of(context).name("name");
    manager()
        .list()
        .compose(
            entries -> {
              if (entries.stream().noneMatch(entry -> entry.name().equals(name))) {
                throw new WebException(WebErrorCode.NOT_FOUND, "token " + name + " not found");
              }
              return manager().rotate(name, grace);
            })
        .onComplete(
            minted -> {
              AuditEntries.done(context, "token.rotated")
                  .with("name", name)
                  .with("grace", grace.toString())
                  .log();
              answer(context, 200, json(minted));
            },
            context::fail);
  }

  private static Duration grace(RoutingContext context) {
    QueryParams.of(context);
    if (BodyReader.length(context) == 0) {
      return DEFAULT_GRACE;
    }
    return Duration.ofMillis(
        StrictJson.input(OperationRoutes.json(context), "body")
            .members("graceMs")
            .read("graceMs", JsonForm.whole(0, MAX_GRACE.toMillis()), DEFAULT_GRACE.toMillis()));
  }

  private static ObjectNode json(Minted minted) {
    return TokenJson.shown(minted.entry()).put("token", minted.secret());
  }

  private static void answer(RoutingContext context, int status, ObjectNode json) {
    Responses.setType(context.response().setStatusCode(status), Responses.JSON);
    ResponseBodies.send(context, json);
  }
}
