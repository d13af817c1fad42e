package io.kvreactive.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.json.KvJson;
import io.kvreactive.server.client.CliJson;
import io.kvreactive.server.client.KeyParser;
import io.kvreactive.server.client.Target;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words and completions of the shell. */
class ShellCompleterTest {
  @TempDir Path directory;

  @Test
  void completesCommandsOptionsKeysAndCollections() {
    try (Target target = Target.open(directory.resolve("store"), true, false, false)) {
      for (String key : List.of("users/ada", "users/bob", "events/150/7", "a b/\"7\"/x")) {
        ObjectNode operation = CliJson.object();
        ObjectNode set = operation.putArray("mutations").addObject().put("type", "set");
        set.set("key", KvJson.toJson(KeyParser.parse(key)));
        set.put("value", 1);
        var unused = target.atomic(operation);
      }
      var made = target.documents().create("people", CliJson.object());
      assertThat(made.path("name").asText()).isEqualTo("people");
      ShellCompleter completer = new ShellCompleter(target);
      assertThat(completer.candidates(List.of(), "co"))
          .containsExactly("collection", "compact", "completion", "copy", "count");
      assertThat(completer.candidates(List.of("get"), "u")).containsExactly("users/");
      assertThat(completer.candidates(List.of("get"), "users/"))
          .containsExactly("users/ada", "users/bob");
      assertThat(completer.candidates(List.of("list", "--prefix"), "events/"))
          .containsExactly("events/150/");
      assertThat(completer.candidates(List.of("get"), "events/150/"))
          .containsExactly("events/150/7");
      assertThat(completer.candidates(List.of("use"), "p")).containsExactly("people");
      assertThat(completer.candidates(List.of("query"), "")).containsExactly("people");
      assertThat(completer.candidates(List.of("item", "get"), "")).containsExactly("people");
      assertThat(completer.candidates(List.of("item"), "g")).containsExactly("get");
      assertThat(completer.candidates(List.of("list"), "--li")).containsExactly("--limit");
      assertThat(completer.candidates(List.of("nosuch"), "")).isEmpty();
    }
  }

  @Test
  void splitsLinesAtSpacesOutsideOfQuotesAndBrackets() {
    assertThat(ShellSession.words("set a/\"7 8\" {\"b\": [1, 2]}  --as json"))
        .containsExactly("set", "a/\"7 8\"", "{\"b\": [1, 2]}", "--as", "json");
    assertThat(ShellSession.words("set a 'two words'")).containsExactly("set", "a", "two words");
    assertThat(ShellSession.words("set a \"it's \\\" {\""))
        .containsExactly("set", "a", "\"it's \\\" {\"");
    assertThat(ShellSession.words("  ")).isEmpty();
    assertThat(ShellSession.words("a ''")).containsExactly("a", "");
  }
}
