package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The class path of these tests has no client of KV Connect. */
class ConnectWithoutArtifactTest {
  @Test
  void namesTheArtifact() {
    Vertx vertx = Vertx.vertx();
    assertThatThrownBy(
            () -> Kv.connect(vertx, "http://127.0.0.1:1", "t").block(Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNSUPPORTED))
        .hasMessageContaining("io.kvreactive:kv-connect");
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }
}
