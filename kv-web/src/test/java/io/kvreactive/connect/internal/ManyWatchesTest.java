package io.kvreactive.connect.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpVersion;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;

/** Watches beyond the hundred concurrent requests that servers allow per connection. */
@ExtendWith(VertxExtension.class)
class ManyWatchesTest {
  private static RemoteOptions overHttp2(RemoteOptions options) {
    return new RemoteOptions(
        options.budgetMillis(),
        options.openMillis(),
        options.connectMillis(),
        options.headMillis(),
        options.backoff(),
        options.silenceMillis(),
        options.maxAnswerBytes(),
        HttpVersion.HTTP_2);
  }

  @Test
  void watchesHundredsOfKeysAtATimeOverHttp2(Vertx vertx) {
    int many = 400;
    try (TestServer server = TestServer.start(vertx)) {
      KvEngine engine =
          new RemoteConnector(overHttp2(RemoteOptions.DEFAULT))
              .connect(vertx, server.uri("").toString(), TestServer.TOKEN)
              .block(TestServer.TIMEOUT);
      assertThat(engine).isNotNull();
      Kv kv = Kv.over(engine, "many");
      Long told =
          Flux.range(0, many)
              .flatMap(i -> kv.watch(KvKey.of("w", i)), many)
              .take(many) // one each: nothing changes
              .count()
              .block(TestServer.TIMEOUT);
      assertThat(told).isEqualTo(many);
      kv.close().block(TestServer.TIMEOUT);
    }
  }
}
