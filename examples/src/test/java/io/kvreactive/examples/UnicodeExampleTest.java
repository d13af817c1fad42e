package io.kvreactive.examples;

import static io.kvreactive.examples.MemoryStore.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.unicode.Assigned;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example with all of Unicode, twice. */
class UnicodeExampleTest {
  private static final Pattern CATEGORY = Pattern.compile(" {2}[A-Z][a-z] +([0-9,]+) .*");

  @TempDir static Path directory;
  private static List<String> first;
  private static List<String> second;

  @BeforeAll
  static void run() {
    first = lines();
    second = lines();
  }

  private static List<String> lines() {
    CapturedScreen captured = new CapturedScreen();
    String[] args = {"--path", directory.toString()};
    Launcher launcher = new Launcher("unicode", captured.screen(false));
    assertThat(await(launcher.run(args, UnicodeExample::run))).isZero();
    assertThat(captured.err()).isEmpty();
    return captured.lines();
  }

  private static List<String> after(List<String> lines, String heading, int count) {
    int at = 0;
    while (!lines.get(at).startsWith(heading)) {
      at++;
    }
    return lines.subList(at + 1, at + 1 + count);
  }

  @Test
  void loadsEveryCharacterOnce() {
    String all = "%,d".formatted(Assigned.ALL.count());
    assertThat(first).anyMatch(line -> line.startsWith("loaded " + all + " records"));
    assertThat(second).contains(all + " records are loaded already");
  }

  @Test
  void findsByName() {
    assertThat(after(second, "named GRINNING FACE: 1 ", 1))
        .containsExactly("  U+1F600 😀 GRINNING FACE");
  }

  @Test
  void findsByPrefixOfTheName() {
    List<String> names = after(second, "names from GREEK SMALL LETTER A", 5);
    assertThat(names).hasSize(5).allMatch(line -> line.contains(" GREEK SMALL LETTER A"));
    assertThat(names.get(0)).isEqualTo("  U+03B1 α GREEK SMALL LETTER ALPHA");
  }

  @Test
  void listsAScriptInCodePointOrder() {
    assertThat(after(second, "script OGHAM: 29 ", 6))
        .containsExactly(
            "  U+1680 · OGHAM SPACE MARK",
            "  U+1681 ᚁ OGHAM LETTER BEITH",
            "  U+1682 ᚂ OGHAM LETTER LUIS",
            "  U+1683 ᚃ OGHAM LETTER FEARN",
            "  U+1684 ᚄ OGHAM LETTER SAIL",
            "  … to U+169C ᚜ OGHAM REVERSED FEATHER MARK");
  }

  @Test
  void sumsCategoryCountsToTheTotal() {
    long sum =
        second.stream()
            .map(CATEGORY::matcher)
            .filter(Matcher::matches)
            .mapToLong(line -> Long.parseLong(line.group(1).replace(",", "")))
            .sum();
    assertThat(sum).isEqualTo(Assigned.ALL.count());
  }
}
