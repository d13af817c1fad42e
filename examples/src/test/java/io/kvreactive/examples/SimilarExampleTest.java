package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SimilarExampleTest {
  @RegisterExtension final MemoryStore store = new MemoryStore();
  private final CapturedScreen captured = new CapturedScreen();

  @Test
  void findsCharactersByTheirNames() {
    List<String> names = List.of("greek small alpha", "Left square bracket", "?");
    await(SimilarExample.run(store.kv(), captured.screen(false), 1000, names));
    assertThat(captured.out())
        .contains("1,000 characters with vectors of 256 numbers in ")
        .containsPattern("served by vector#\\d+ \\(")
        .containsPattern("greek small alpha:\\R  0\\.\\d{3}  U\\+3B1  α  GREEK SMALL LETTER ALPHA")
        .containsPattern("Left square bracket:\\R  1\\.000  U\\+5B  \\[  LEFT SQUARE BRACKET")
        .containsPattern("recall@10 \\d+ %; \\d+\\.\\d ms by the index, \\d+\\.\\d ms exactly")
        .containsPattern("3 searches: recall@10 \\d+\\.\\d %; ");
  }
}
