package io.kvreactive.web.internal.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvreactive.web.internal.http.ResponseBodies;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The route of the OpenAPI 3.1 description of the REST interface. */
public final class OpenApiRoutes {
  private static final String RESOURCE = "openapi.yaml"; // easier to read and write than JSON

  private OpenApiRoutes() {}

  /** Mounts the route; it needs no token. */
  public static void mount(Router router) {
    Buffer document = Buffer.buffer(StrictJson.bytes(document()));
    router
        .get("/openapi.json")
        .handler(
            context -> {
              context
                  .response()
                  .putHeader("Content-Type", Responses.JSON)
                  .putHeader("Cache-Control", "no-cache");
              ResponseBodies.send(context, document);
            });
  }

  private static JsonNode document() {
    try (InputStream in = OpenApiRoutes.class.getResourceAsStream(RESOURCE)) {
      return new YAMLMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException("the description is part of the jar", e);
    }
  }
}
