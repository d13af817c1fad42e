package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Routes over a store on another server, which keeps no versions for its clients. */
@ExtendWith(VertxExtension.class)
class RemoteStoreRestTest {
  @Test
  void answersWhatTheProtocolHas(Vertx vertx) throws Exception {
    try (var store = new TestServerContext(vertx)) {
      Kv remote = Kv.connect(vertx, store.uri().toString(), "any").block(TestServer.TIMEOUT);
      try (var site = new TestServerContext(vertx, engine -> remote.engine())) {
        for (int i = 0; i < 3; i++) {
          store.kv.set(KvKey.of("a", i), i).block(TestServer.TIMEOUT);
        }
        Rest rest = site.rest();
        String range = "/entries?prefix=" + Rest.key("a");
        assertThat(rest.get(range).is(200).json().get("entries")).hasSize(3);
        assertThat(rest.get(range + "&limit=2").is(200).json().get("cursor").isTextual()).isTrue();
        assertThat(rest.get("/export").is(200).response().body().lines()).hasSize(3);
        var keys = rest.post("/entries/get", "{\"keys\":[[\"a\",0],[\"b\"]]}").is(200).json();
        assertThat(keys.at("/entries/0/value").asInt()).isZero();
        assertThat(keys.at("/entries/1/versionstamp").isNull()).isTrue();

        // the protocol has no checks of ranges, so nothing of the commit is sent
        rest.post(
                "/atomic",
                """
                {"checks":[{"prefix":["a"],"unchangedSince":"%020d"}],
                 "mutations":[{"type":"set","key":["b"],"value":1}]}
                """
                    .formatted(0))
            .problem(501, "UNSUPPORTED");
        assertThat(store.kv.get(KvKey.of("b")).block(TestServer.TIMEOUT).exists()).isFalse();
      } finally {
        remote.close().block(TestServer.TIMEOUT);
      }
    }
  }
}
