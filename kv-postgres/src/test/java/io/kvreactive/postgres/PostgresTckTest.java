package io.kvreactive.postgres;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.testkit.KvTck;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** The Reactive Streams compatibility kit against the subscriptions of the engine. */
@ExtendWith(VertxExtension.class)
class PostgresTckTest implements OnPostgres {
  private static Kv kv;

  @BeforeAll
  static void open(Vertx vertx) {
    kv = new PostgresTckTest().store(vertx, KvOptions.inMemory().withName("tck")).block();
  }

  @AfterAll
  static void close() {
    kv.close().block();
  }

  @TestFactory
  List<DynamicContainer> subscriptionsFollowTheSpecification() {
    return List.of(KvTck.watch(kv), KvTck.changes(kv));
  }
}
