package io.kvreactive.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The lines of {@code kv collection progress}. */
class CollectionProgressTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'percent':100,'jobs':[]} | 100 %",
        "{'percent':40,'jobs':[{'index':'composite#3','definition':'composite /a ascending','state':'BUILDING',"
            + "'etaSeconds':7},{'index':'range','state':'DROPPING'}]}"
            + " | 40 %;composite#3 (composite /a ascending) building, about 7 s left;range dropping",
        "{'percent':9,'jobs':[{'index':'ttl','state':'FAILED','error':'too large'}]}"
            + " | 9 %;ttl failed: too large"
      },
      quoteCharacter = '`')
  void namesThePathsAndTheRemainingTime(String progress, String line) throws Exception {
    ObjectNode json = (ObjectNode) JSON.readTree(progress.replace('\'', '"'));
    assertThat(CollectionCommand.Progress.text(json)).isEqualTo(line.replace(';', '\t'));
  }
}
