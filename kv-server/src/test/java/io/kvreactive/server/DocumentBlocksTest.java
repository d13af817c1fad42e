package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvreactive.web.DocumentBlocks;
import io.kvreactive.web.DocumentBlocks.Block;
import java.io.StringReader;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/**
 * Every block of every document has a language. A test runs or reads the blocks of each language.
 */
class DocumentBlocksTest {
  /**
   * The languages and their tests: {@code sh} {@link DocumentCommandsTest}, {@code js} {@code
   * DocumentScriptsTest}, {@code ts} {@code TypeScriptClientTest}, {@code java} {@code ReadmeTest},
   * {@code mermaid} {@code ReadmeDocumentsTest}, {@code sql operators} {@code QueryOperatorsTest},
   * the others this test. {@code text} is for output and the syntax of commands, {@code markdown}
   * for templates.
   */
  private static final Set<String> LANGUAGES =
      Set.of(
          "sh",
          "sh serve",
          "sh stream",
          "sh install",
          "js deno",
          "js node",
          "js browser",
          "ts",
          "java",
          "json",
          "yaml",
          "xml",
          "sql",
          "sql operators",
          "text",
          "markdown",
          "mermaid");

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();
  private static final YAMLMapper YAML =
      YAMLMapper.builder().enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY).build();

  @Test
  void haveATestedLanguage() {
    assertThat(blocks())
        .isNotEmpty()
        .allSatisfy(block -> assertThat(LANGUAGES).as(block.toString()).contains(block.info()));
  }

  private static Stream<Block> blocks() {
    return DocumentBlocks.documents().stream()
        .flatMap(document -> DocumentBlocks.of(document).stream());
  }

  /** An ellipsis stands for omitted members. */
  @Test
  void haveValidJson() {
    List<Block> blocks = DocumentBlocks.in("json");
    assertThat(blocks).isNotEmpty();
    for (Block block : blocks) {
      String text = block.text().replaceAll("(?<!\"),? ?…(?!\"),? ?", "");
      assertThatCode(
              () -> {
                try (MappingIterator<Object> values =
                    JSON.readerFor(Object.class).readValues(text)) {
                  assertThat(values.readAll()).isNotEmpty();
                }
              })
          .as(block.toString())
          .doesNotThrowAnyException();
    }
  }

  @Test
  void haveValidYaml() {
    List<Block> blocks = DocumentBlocks.in("yaml");
    assertThat(blocks).isNotEmpty();
    for (Block block : blocks) {
      assertThatCode(() -> assertThat(YAML.readTree(block.text()).isContainerNode()).isTrue())
          .as(block.toString())
          .doesNotThrowAnyException();
    }
  }

  @Test
  void haveValidXml() {
    List<Block> blocks = DocumentBlocks.in("xml");
    assertThat(blocks).isNotEmpty();
    for (Block block : blocks) {
      assertThatCode(
              () ->
                  DocumentBuilderFactory.newInstance()
                      .newDocumentBuilder()
                      .parse(new InputSource(new StringReader(block.text()))))
          .as(block.toString())
          .doesNotThrowAnyException();
    }
  }
}
