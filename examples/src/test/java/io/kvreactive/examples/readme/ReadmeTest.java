package io.kvreactive.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The README says what {@link ReadmeSnippetsTest} and its neighbours compile and run. */
class ReadmeTest {
  private static final Path README = Path.of("..", "README.md");
  private static final Path HERE = Path.of("src/test/java/io/kvreactive/examples/readme");
  private static final List<Path> SNIPPETS =
      List.of(
          HERE.resolve("ReadmeSnippetsTest.java"),
          HERE.resolve("ReadmeFeatureSnippetsTest.java"),
          HERE.resolve("ReadmeIndexSnippetsTest.java"),
          HERE.resolve("ReadmeOperationsSnippetsTest.java"));
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SNIPPET =
      Pattern.compile("// snippet: \\w+\n(.*?) *// end\n", Pattern.DOTALL);

  private static List<String> found(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map(match -> match.group(1).stripTrailing().stripIndent())
        .toList();
  }

  @Test
  void everyBlockOfJavaIsASnippetAndTheOtherWayRound() throws IOException {
    List<String> snippets = new ArrayList<>();
    for (Path file : SNIPPETS) {
      snippets.addAll(found(SNIPPET, file));
    }
    assertThat(found(BLOCK, README)).isNotEmpty().containsExactlyInAnyOrderElementsOf(snippets);
  }

  @Test
  void everyErrorCodeIsInTheTable() throws IOException {
    String readme = Files.readString(README);
    assertThat(KvErrorCode.values())
        .allSatisfy(
            code ->
                assertThat(readme)
                    .containsPattern(
                        "\\| `%s` \\| .* \\| %s \\|"
                            .formatted(code, code.retryable() ? "yes" : "no")));
  }

  @Test
  void namesNoMachineOrRegistry() throws IOException {
    assertThat(Files.readString(README)).doesNotContain("/tmp/", "/home/", "/root/", "/work/");
  }
}
