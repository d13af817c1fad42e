package io.kvreactive.web.internal.http;

import static io.kvreactive.web.SecurityDocument.hasRow;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.web.RoutesOptions;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The default shares of the memory of a server. */
class ServerMemoryTest {
  private static final long HEAP = Runtime.getRuntime().maxMemory();
  private static final long WHOLE = Math.max(HEAP / 3, RoutesOptions.DEFAULT.maxBodyBytes());

  private final ServerMemory memory = new ServerMemory(RoutesOptions.DEFAULT);

  @Test
  void hasTheDocumentedParts() throws IOException {
    Map<String, Long> parts = new HashMap<>();
    memory.forEach((name, budget) -> parts.put(name, budget.most()));
    assertThat(memory.most()).isEqualTo(WHOLE);
    assertThat(parts)
        .containsEntry("bodies", Math.max(64L << 20, HEAP / 8))
        .containsEntry("trees", WHOLE)
        .containsEntry("answers", Math.max(72L << 20, HEAP / 4))
        .containsEntry("streams", WHOLE / 2);
    hasRow("answers of KV Connect", "a quarter of the heap, at least 72 MiB");
    hasRow(
        "WebSockets: 16 KiB each, 2 KiB for each subscription or write, what it was asked with"
            + " (of a write, its JSON as below), what was read for it",
        "half of it; of a token a quarter");
  }

  @Test
  void limitsTheWebSocketsOfATokenToAQuarter() {
    ServerMemory.StreamShare one = memory.stream("one");
    one.bytes().take(WHOLE / 2 / 2);
    assertThatThrownBy(() -> one.bytes().take(1))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));
    memory.stream("other").bytes().take(1);
  }
}
