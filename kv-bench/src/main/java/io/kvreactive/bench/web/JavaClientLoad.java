package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildServer;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentCollection;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Objects;
import org.reactivestreams.Publisher;

/** The requests of a scenario by the Java client of collections. */
final class JavaClientLoad {
  /** The documents of {@link RestScenario#ITEM_CREATE}. */
  record Person(String id, String name, String city, int age, String text) {}

  private final RestScenario scenario;
  private final DocumentCollection<Person> people;

  private JavaClientLoad(RestScenario scenario, DocumentStore store) {
    this.scenario = scenario;
    this.people = store.collection("people", Person.class);
  }

  /** Connects. Must not be called on an event loop. */
  static JavaClientLoad connect(Vertx vertx, String url, RestScenario scenario) {
    DocumentStore store =
        DocumentStore.connect(vertx, url, DocumentClientOptions.token(ChildServer.TOKEN)).block();
    return new JavaClientLoad(scenario, Objects.requireNonNull(store));
  }

  /** Returns a request for a document. */
  Publisher<?> request(long number) {
    return switch (scenario) {
      case ITEM_CREATE ->
          people.create(
              new Person("i" + number, "name " + number, "Oslo", 40, "up to a hundred bytes"));
      case ITEM_READ -> people.read("i" + number);
      case POINT_QUERY ->
          people.query("SELECT * FROM c WHERE c.name = @name", Map.of("name", "name " + number));
      default -> throw new IllegalArgumentException(scenario + " (expected: documents)");
    };
  }
}
