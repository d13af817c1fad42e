package io.kvreactive.documents;

import static io.kvreactive.documents.testkit.TestStore.of;
import static io.kvreactive.documents.testkit.TestStore.orNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.Kv;
import io.kvreactive.documents.testkit.TestStore;
import io.kvreactive.spi.KvEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Checks that items expire by the clock of the store and not by the wall clock, which may jump. */
class StoreTimeTest {
  private final TestStore store = TestStore.at(null);
  private final AtomicLong ahead = new AtomicLong();
  private final AtomicLong unconfirmed = new AtomicLong();
  private final KvEngine engine =
      (KvEngine)
          Proxy.newProxyInstance(
              KvEngine.class.getClassLoader(),
              new Class<?>[] {KvEngine.class},
              (proxy, method, arguments) -> {
                try {
                  Object result = method.invoke(store.kv().engine(), arguments);
                  return switch (method.getName()) {
                    case "now" -> (Long) result + ahead.get();
                    case "confirmedNow" -> (Long) result + ahead.get() - unconfirmed.get();
                    default -> result;
                  };
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
  private final DocumentStore index = DocumentStore.over(Kv.over(engine, "by-its-clock"));

  @AfterEach
  void end() {
    orNull(index.close());
    store.close();
  }

  @Test
  void expiresItemsByTheStoreClock() {
    unconfirmed.set(Duration.ofDays(1000).toMillis()); // prevents removals
    DocumentCollection<JsonNode> items =
        index.collection("c", JsonNode.class, CollectionDefinition.DEFAULT.withDefaultTtl(3600));
    of(items.create(JsonNodeFactory.instance.objectNode().put("id", "a")));
    assertThat(orNull(items.read("a"))).isNotNull();
    ahead.set(Duration.ofHours(2).toMillis());
    assertThat(orNull(items.read("a"))).isNull();
    ahead.set(0);
    assertThat(orNull(items.read("a"))).as("not removed").isNotNull();
  }
}
