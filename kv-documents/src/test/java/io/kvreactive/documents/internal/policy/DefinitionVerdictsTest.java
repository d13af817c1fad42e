package io.kvreactive.documents.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.Definitions;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.TestText;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks definitions of a resource: each row is a definition and, if invalid, words of the message.
 */
class DefinitionVerdictsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  static Stream<Arguments> rows() throws JsonProcessingException {
    Stream.Builder<Arguments> rows = Stream.builder();
    for (String line : TestText.lines("policy/definitions.jsonl")) {
      JsonNode row = JSON.readTree(line);
      rows.add(
          Arguments.of(
              row.get("about").textValue(),
              row.get("definition").toString(),
              row.path("fails").asText("")));
    }
    return rows.build();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void acceptsOrRejectsDefinitions(String about, String definition, String fails) {
    if (fails.isEmpty()) {
      CollectionDefinition read = Definitions.parse(definition);
      assertThat(Definitions.parse(Definitions.toJson(read))).as(about).isEqualTo(read);
      return;
    }
    assertThatThrownBy(() -> Definitions.parse(definition))
        .as(about)
        .isInstanceOfSatisfying(
            DocumentException.class,
            e ->
                assertThat(e.code())
                    .isIn(
                        List.of(DocumentErrorCode.INVALID_POLICY, DocumentErrorCode.INVALID_PATH)))
        .hasMessageContaining(fails);
  }
}
