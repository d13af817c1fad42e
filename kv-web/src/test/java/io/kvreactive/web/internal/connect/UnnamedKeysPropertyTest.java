package io.kvreactive.web.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.testing.ShortTries;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Access to keys of arbitrary bytes. */
class UnnamedKeysPropertyTest {
  private static Vertx vertx;
  private static TestServerContext site;
  private static Rest rest;

  @BeforeContainer
  static void start() throws Exception {
    vertx = Vertx.vertx();
    site = new TestServerContext(vertx);
    rest = site.rest();
  }

  @AfterContainer
  static void stop() {
    site.close();
    vertx.close().await();
  }

  @Property(tries = 200)
  @ShortTries(50)
  void areShownReadAndDeleted(@ForAll @Size(min = 1, max = 6) byte[] bytes) {
    if (bytes[0] == -1) {
      return; // the store's own
    }
    site.kv.set(KvKey.fromEncoded(bytes), Map.of("a", 1)).block(TestServer.TIMEOUT);
    Answer tree = rest.get("/tree").is(200);
    assertThat(tree.json().get("children")).hasSize(1);
    String key = rest.get("/entries").is(200).json().at("/entries/0/key").toString();
    String query = "/entry?key=" + Rest.encode(key);
    rest.get(query).is(200);
    rest.ask("DELETE", query, null).is(200);
    assertThat(rest.get("/tree").is(200).json().get("children")).isEmpty();
  }
}
