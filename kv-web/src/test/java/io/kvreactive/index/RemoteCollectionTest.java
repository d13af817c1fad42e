package io.kvreactive.index;

import static io.kvreactive.index.testkit.TestStore.of;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.index.testkit.TestStore;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract of collections, over a connection to a server. */
class RemoteCollectionTest extends CollectionContract {
  private DocumentServer server;
  private DocumentStore documents;

  @Override
  TestStore open() {
    return TestStore.at(null);
  }

  @Override
  DocumentStore documents(TestStore store) {
    server = new DocumentServer(store);
    documents = server.connect();
    return documents;
  }

  @AfterEach
  void stop() {
    server.stop();
  }

  /** Fractions are doubles in the JSON of a server. */
  @Test
  @Override
  void keepsAllDigitsOfNumbers() {
    DocumentCollection<JsonNode> nodes =
        documents.collection("people", JsonNode.class, CollectionDefinition.DEFAULT);
    ObjectNode node = JsonNodeFactory.instance.objectNode().put("id", "n").put("pi", Math.PI);
    node.put("i", new BigInteger("9".repeat(60)));
    of(nodes.create(node));

    JsonNode read = of(nodes.read("n")).value();
    assertThat(read.get("pi").doubleValue()).isEqualTo(Math.PI);
    assertThat(read.get("i").bigIntegerValue().toString()).isEqualTo("9".repeat(60));
  }

  /** Fractions are doubles in the JSON of a server. */
  @Test
  @Override
  void keepsNumbersBeyondDoubles() {
    DocumentCollection<Object> any =
        documents.collection("people", Object.class, CollectionDefinition.DEFAULT);
    assertCode(
        IndexErrorCode.INVALID_ITEM,
        any.create(Map.of("id", "a", "n", new BigDecimal("12e999999998"))));
  }
}
