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
        .containsEntry("answers", Math.min(WHOLE, Math.max(144L << 20, HEAP / 4)))
        .containsEntry("streams", WHOLE / 4 * 3);
    hasRow(
        "answers: what is read for them, reserved before, until the connection has accepted it."
            + " Whole answers of up to 4 KiB are not counted; a store behind KV Connect cannot limit"
            + " a read, and may exceed the reservation",
        "a quarter of the heap, at least 144 MiB, and at most the whole; of a token half of it, at"
            + " least 72 MiB");
    hasRow(
        "WebSockets: 11 KiB each, 2 KiB for each subscription or write, what it was asked with"
            + " (of a write, its JSON as below), what was read for it until the socket has accepted"
            + " it, 384 KiB for a query or a list",
        "three quarters of it; of a token half");
  }

  @Test
  void limitsTheWebSocketsOfATokenToHalf() {
    refusesMoreThan(WHOLE / 2, memory.stream("one"));
    memory.stream("other").take(1);
  }

  @Test
  void limitsTheAnswersToATokenToHalf() {
    long answers = Math.min(WHOLE, Math.max(144L << 20, HEAP / 4));
    refusesMoreThan(Math.max(72L << 20, answers / 2), memory.answer("one"));
    memory.answer("other").take(1);
  }

  private static void refusesMoreThan(long most, ByteBudget.Share share) {
    share.take(most);
    assertThatThrownBy(() -> share.take(1))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.OVERLOADED));
  }
}
