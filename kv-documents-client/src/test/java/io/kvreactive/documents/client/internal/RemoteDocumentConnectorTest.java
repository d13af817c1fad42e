package io.kvreactive.documents.client.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.documents.DocumentClientOptions;
import io.kvreactive.documents.DocumentStore;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses without a server, and those that are none. */
@ExtendWith(VertxExtension.class)
class RemoteDocumentConnectorTest {
  @ParameterizedTest
  @CsvSource({
    "localhost:4512, INVALID_ARGUMENT",
    "ftp://host, INVALID_ARGUMENT",
    "http://host/?query, INVALID_ARGUMENT",
    "http://user@host/, INVALID_ARGUMENT",
    "http://127.0.0.1:1, UNAVAILABLE",
  })
  void failsToConnect(String url, KvErrorCode expected, Vertx vertx) {
    DocumentClientOptions options = DocumentClientOptions.DEFAULT.withRetryTime(Duration.ZERO);
    assertThatThrownBy(
            () -> DocumentStore.connect(vertx, url, options).block(Duration.ofSeconds(60)))
        .isInstanceOfSatisfying(
            KvException.class, e -> Assertions.assertThat(e.code()).isEqualTo(expected));
  }
}
