package example.engine;

import io.kvreactive.Kv;
import io.kvreactive.KvLimits;
import io.kvreactive.testkit.KvTck;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SortedMapTckTest {
  private static Kv kv;

  @BeforeAll
  static void open(Vertx vertx) {
    kv = Kv.open(vertx, new SortedMapOptions("tck", KvLimits.DEFAULT)).block();
  }

  @AfterAll
  static void close() {
    kv.close().block();
  }

  // snippet: tck
  @TestFactory
  List<DynamicContainer> subscriptionsFollowTheSpecification() {
    return List.of(KvTck.watch(kv), KvTck.changes(kv));
  }
  // end
}
