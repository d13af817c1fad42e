package io.kvreactive.server.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys as users type them, with the same meaning as in the explorer. */
class KeyParserTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "users/ada            | [\"users\",\"ada\"]",
        "events/150/150907    | [\"events\",150,150907]",
        "events/\"150\"/x     | [\"events\",\"150\",\"x\"]",
        "a/-1.5e3             | [\"a\",-1500]",
        "a/7n                 | [\"a\",{\"$bigint\":\"7\"}]",
        "a/true/false         | [\"a\",true,false]",
        "a/0x00ff             | [\"a\",{\"$bytes\":\"AP8=\"}]",
        "a/\"x/y\"/z          | [\"a\",\"x/y\",\"z\"]",
        "users ada 7          | [\"users\",\"ada\",7]",
        "\"two words\"        | [\"two words\"]",
        "two words/x          | [\"two words\",\"x\"]",
        "[\"users\",\"7\"]    | [\"users\",\"7\"]",
        "users                | [\"users\"]",
      })
  void readsPartsLikeTheExplorer(String typed, String key) {
    assertThat(KeyParser.print(KeyParser.parse(typed))).isEqualTo(key);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "a//b", "a/", "/a", "a/\"b\"c", "a/\"b", "[1", "\"a"})
  void rejectsMalformedKeys(String typed) {
    assertThatThrownBy(() -> KeyParser.parse(typed)).isInstanceOf(CliException.class);
  }

  @Test
  void saysHowToTypeStringsOfDigits() {
    assertThat(KeyParser.withStrings("events/150/x")).isEqualTo("events/\"150\"/x");
    assertThat(KeyParser.withStrings("events/x")).isEmpty();
    assertThat(KeyParser.withStrings("[\"events\",1]")).isEmpty();
    assertThat(KeyParser.print(KeyParser.parse(KeyParser.withStrings("e/1/2"))))
        .isEqualTo("[\"e\",\"1\",\"2\"]");
  }
}
