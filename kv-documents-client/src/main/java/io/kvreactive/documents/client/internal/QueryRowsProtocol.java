package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.http.client.StreamProtocol;
import java.util.function.Consumer;
import java.util.function.Function;

/** The rows of a query, all read at one version, so that it cannot continue after a loss. */
record QueryRowsProtocol<R>(ObjectNode request, Function<JsonNode, R> reader)
    implements StreamProtocol<R> {
  @Override
  public boolean continues() {
    return false;
  }

  @Override
  public boolean isQuery() {
    return true;
  }

  @Override
  public int receive(JsonNode message, Consumer<R> elements) {
    JsonNode rows = message.path("rows");
    rows.forEach(row -> elements.accept(reader.apply(row)));
    return rows.size();
  }
}
