package io.kvreactive.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The public API of each module that programs compile against is recorded in {@code public-api.txt}
 * of the module. With {@code -Dkv.api.record} the files are written first.
 */
class PublicApiTest {
  private static final String RECORD =
      "./mvnw -q -pl architecture-tests -am test -Dtest=PublicApiTest -Dkv.api.record"
          + " -Dsurefire.failIfNoSpecifiedTests=false";

  @ParameterizedTest
  @EnumSource(
      names = {
        "KV_HTTP_CLIENT",
        "KV_PROTOCOL",
        "KV_DOCUMENTS_CLIENT",
        "KV_SERVER",
        "KV_BENCH",
        "EXAMPLES"
      },
      mode = EnumSource.Mode.EXCLUDE)
  void isRecorded(Module module) throws IOException {
    Path file = Path.of("..", module.directory(), "public-api.txt");
    List<String> api = PublicApi.of(module);
    assertThat(api).isNotEmpty();
    if (System.getProperty("kv.api.record") != null) {
      Files.write(file, api);
    }
    String difference = difference(Files.readAllLines(file), api);
    assertThat(difference).as(difference).isEmpty();
  }

  @Test
  void toleratesNoRemovedMember() {
    assertThat(difference(List.of("a.B: class", "  void c()"), List.of("a.B: class")))
        .contains("incompatible: a.B.void c()", "docs/upgrading.md");
  }

  @Test
  void toleratesNoAbstractMethodInAnExistingType() {
    List<String> before = List.of("a.B: interface");
    assertThat(difference(before, List.of("a.B: interface", "  public abstract void c()")))
        .contains("incompatible: a.B.public abstract void c()");
    assertThat(difference(List.of(), List.of("a.B: interface", "  public abstract void c()")))
        .doesNotContain("incompatible");
  }

  @Test
  void asksForARecordOfAnAddedMember() {
    List<String> before = List.of("a.B: class", "a.C: class", "  void d()");
    List<String> now = List.of("a.B: class", "  void c()", "a.C: class", "  void d()");
    assertThat(difference(before, now))
        .contains("added: a.B.void c()", RECORD)
        .doesNotContain("incompatible", "void d()");
  }

  /** Returns what has changed and what to do about it; empty if nothing has changed. */
  private static String difference(List<String> recorded, List<String> api) {
    Set<String> before = qualified(recorded);
    Set<String> now = qualified(api);
    Set<String> removed = without(before, now);
    Set<String> added = without(now, before);
    Set<String> types = names(before);
    Set<String> required =
        added.stream()
            .filter(line -> line.contains(" abstract ") && types.contains(typeOf(line)))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    if (removed.isEmpty() && added.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder("The public API differs from the recorded one.\n");
    Stream.concat(removed.stream(), required.stream())
        .forEach(line -> text.append("incompatible: ").append(shown(line)).append('\n'));
    without(added, required)
        .forEach(line -> text.append("added: ").append(shown(line)).append('\n'));
    if (!removed.isEmpty() || !required.isEmpty()) {
      text.append("Programs that use or implement these do not compile or run any more: keep them,")
          .append(" or add lines to CHANGELOG.md and docs/upgrading.md.\n");
    }
    return text.append("To record the API, run\n  ").append(RECORD).append('\n').toString();
  }

  /** Returns the lines of types, and those of members behind the names of their types. */
  private static Set<String> qualified(List<String> lines) {
    Set<String> all = new LinkedHashSet<>();
    String type = "";
    for (String line : lines) {
      if (line.startsWith(PublicApi.INDENT)) {
        all.add(type + "." + line);
      } else {
        all.add(line);
        type = line.substring(0, line.indexOf(':'));
      }
    }
    return all;
  }

  private static Set<String> names(Set<String> lines) {
    return lines.stream()
        .filter(line -> line.contains(": "))
        .map(line -> line.substring(0, line.indexOf(':')))
        .collect(Collectors.toSet());
  }

  private static String typeOf(String line) {
    return line.contains("." + PublicApi.INDENT)
        ? line.substring(0, line.indexOf("." + PublicApi.INDENT))
        : "";
  }

  private static String shown(String line) {
    return line.replace("." + PublicApi.INDENT, ".");
  }

  private static Set<String> without(Set<String> lines, Set<String> others) {
    Set<String> left = new LinkedHashSet<>(lines);
    left.removeAll(others);
    return left;
  }
}
