package io.kvreactive.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the Java in the documents to the code that {@link ReadmeSnippetsTest} and its neighbours
 * run.
 */
class ReadmeTest {
  private static final int MAX_LINES = 250;
  private static final Path README = Path.of("..", "README.md");
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path ERRORS = DOCS.resolve("guide").resolve("errors.md");
  private static final Path HERE = Path.of("src/test/java/io/kvreactive/examples/readme");
  private static final List<Path> SNIPPETS =
      List.of(
          HERE.resolve("ReadmeSnippetsTest.java"),
          HERE.resolve("ReadmeFeatureSnippetsTest.java"),
          HERE.resolve("ReadmeIndexSnippetsTest.java"),
          HERE.resolve("ReadmeOperationsSnippetsTest.java"),
          HERE.resolve("ReadmeMigrationSnippetsTest.java"),
          Path.of("../kv-engine-testkit/src/test/java/example/engine/OnSortedMap.java"),
          Path.of("../kv-engine-testkit/src/test/java/example/engine/SortedMapKvTest.java"),
          Path.of("../kv-engine-testkit/src/test/java/example/engine/SortedMapTckTest.java"),
          Path.of("../consumer-tests/src/it/boot3/src/main/java/consumer/Application.java"),
          Path.of("../kv-web/src/test/java/io/kvreactive/web/RemoteExampleTest.java"),
          Path.of("../kv-web/src/test/java/io/kvreactive/web/RemoteDocumentExampleTest.java"));
  private static final Path PROGRAM = HERE.resolve("Hello.java");
  private static final Path EXAMPLES = Path.of("src/main/java/io/kvreactive/examples");
  private static final Pattern LISTED =
      Pattern.compile("^(\\w+) +(\\w+Example) ", Pattern.MULTILINE);
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SNIPPET =
      Pattern.compile("// snippet: \\w+\n(.*?) *// end\n", Pattern.DOTALL);

  /** Returns the README and all documents. */
  private static List<Path> documents() throws IOException {
    try (Stream<Path> documents = Files.walk(DOCS)) {
      return Stream.concat(
              Stream.of(README), documents.filter(file -> file.toString().endsWith(".md")).sorted())
          .toList();
    }
  }

  private static List<String> found(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map(match -> match.group(1).stripTrailing().stripIndent())
        .toList();
  }

  @Test
  void matchesEveryJavaBlockWithOneSnippet() throws IOException {
    List<String> snippets = new ArrayList<>();
    for (Path file : SNIPPETS) {
      snippets.addAll(found(SNIPPET, file));
    }
    snippets.add(Files.readString(PROGRAM).split("\n\n", 2)[1].strip());
    List<String> blocks = new ArrayList<>();
    for (Path document : documents()) {
      blocks.addAll(found(BLOCK, document));
    }
    assertThat(found(BLOCK, README)).isNotEmpty();
    assertThat(blocks).containsExactlyInAnyOrderElementsOf(snippets);
  }

  @Test
  void keepsTheReadmeShort() throws IOException {
    assertThat(Files.readAllLines(README)).hasSizeLessThanOrEqualTo(MAX_LINES);
  }

  /** {@code ./kv example} lists every example program, and the README links it by its name. */
  @Test
  void listsAndLinksEveryExample() throws IOException {
    List<String> programs;
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      programs =
          files
              .map(file -> file.getFileName().toString().replace(".java", ""))
              .filter(name -> name.endsWith("Example"))
              .toList();
    }
    List<MatchResult> listed =
        LISTED.matcher(Files.readString(Path.of("..", "kv"))).results().toList();
    assertThat(listed.stream().map(match -> match.group(2)))
        .containsExactlyInAnyOrderElementsOf(programs);
    String readme = Files.readString(README);
    assertThat(listed)
        .allSatisfy(
            match ->
                assertThat(readme)
                    .contains("[`./kv example %s`](".formatted(match.group(1)))
                    .contains("/%s.java) |".formatted(match.group(2))));
  }

  @Test
  void listsEveryErrorCodeInTheTable() throws IOException {
    String errors = Files.readString(ERRORS);
    assertThat(KvErrorCode.values())
        .allSatisfy(
            code ->
                assertThat(errors)
                    .containsPattern(
                        "\\| `%s` \\| .* \\| %s \\|"
                            .formatted(code, code.retryable() ? "yes" : "no")));
  }

  @Test
  void namesNoMachineOrRegistry() throws IOException {
    for (Path document : documents()) {
      assertThat(Files.readString(document)).doesNotContain("/tmp/", "/home/", "/root/", "/work/");
    }
  }
}
