package io.kvreactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The class path of these tests has no client of KV Connect. */
@ExtendWith(VertxExtension.class)
class ConnectWithoutArtifactTest {
  @Test
  void namesTheArtifact(Vertx vertx) {
    assertThatThrownBy(
            () -> Kv.connect(vertx, "http://127.0.0.1:1", "t").block(Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNSUPPORTED))
        .hasMessageContaining("io.kvreactive:kv-connect");
  }
}
