package io.kvreactive.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams of the server of a directory. */
@Timeout(600)
class EndlessStreamTest {
  private static final KeySelection ALL = new KeySelection(null, null, null);

  @TempDir Path directory;

  private static void set(Target target, int value) {
    ObjectNode operation = CliJson.object();
    ObjectNode set = operation.putArray("mutations").addObject().put("type", "set");
    set.put("value", value).putArray("key").add("a");
    assertThat(target.atomic(operation).path("committed").asBoolean()).isTrue();
  }

  @Test
  void endsWhenItsThreadIsInterrupted() {
    try (Target target = Target.open(directory.resolve("store"), true, false, false)) {
      List<ObjectNode> states = new ArrayList<>();
      Consumer<ObjectNode> once = // as by Ctrl-C in the shell
          state -> {
            states.add(state);
            Thread.currentThread().interrupt();
          };
      target.watch(List.of(KvKey.of("a")), once);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(states)
          .extracting(ObjectNode::toString)
          .containsExactly(
              "{\"entries\":[{\"key\":[\"a\"],\"value\":null,\"versionstamp\":null}],"
                  + "\"versionstamp\":\"00000000000000000000\"}");
    }
  }

  @Test
  void endsWithTheFailureOfItsConsumer() {
    try (Target target = Target.open(directory.resolve("store"), true, false, false)) {
      for (int i = 0; i < 600; i++) { // more than wait for the consumer
        set(target, i);
      }
      List<Integer> values = new ArrayList<>();
      IllegalStateException closed = new IllegalStateException("the output is closed");
      assertThatThrownBy(
              () ->
                  target.changes(
                      ALL,
                      "0".repeat(20),
                      commit -> {
                        values.add(commit.at("/changes/0/value").intValue());
                        if (values.size() == 600) {
                          throw closed;
                        }
                      }))
          .isSameAs(closed);
      assertThat(values).isSorted().doesNotHaveDuplicates().hasSize(600);
      assertThatThrownBy(() -> target.changes(ALL, "x", commit -> {}))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("INVALID_VERSIONSTAMP");
    }
  }
}
