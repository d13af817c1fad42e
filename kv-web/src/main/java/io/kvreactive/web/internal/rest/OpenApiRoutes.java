package io.kvreactive.web.internal.rest;

import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.http.OperationHandlers;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The route of the OpenAPI 3.1 description of the REST interface. */
public final class OpenApiRoutes {
  private static final String RESOURCE = "openapi.json"; // generated from openapi.yaml by the build

  private OpenApiRoutes() {}

  /** Sets the handler, which requires no token. */
  public static void mount(OperationHandlers handlers) {
    Buffer document = document();
    handlers.on(
        Operation.OPENAPI,
        context -> {
          context
              .response()
              .putHeader("Content-Type", Responses.JSON)
              .putHeader("Cache-Control", "no-cache");
          ResponseBodies.send(context, document);
        });
  }

  private static Buffer document() {
    try (InputStream in = OpenApiRoutes.class.getResourceAsStream(RESOURCE)) {
      return Buffer.buffer(
          Objects.requireNonNull(in, "openapi.json is missing from the jar").readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("openapi.json cannot be read from the jar", e);
    }
  }
}
