package io.kvreactive.examples.readme;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that links in documents lead to existing files and headings, and that named classes and
 * their members exist.
 */
class ReadmeDocumentsTest {
  private static final Path ROOT = Path.of("..");
  private static final Path DOCS = ROOT.resolve("docs");
  private static final int MAX_SECTION_LINES = 60;

  /** Classes of libraries that the documents name, and words of HTTP and JSON. */
  private static final Set<String> OTHERS =
      Set.of(
          "Flux",
          "Mono",
          "WebSocket",
          "Deno",
          "BigInteger",
          "Double",
          "Forwarded",
          "Origin",
          "Via",
          "Geography",
          "Geometry",
          "IndexType");

  /** The target of a link; code in backticks has been removed. */
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");

  /** The name of a class, perhaps followed by a member, in backticks. */
  private static final Pattern TYPE =
      Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:[.#(][^`\n]*)?`");

  /** A member of a class in backticks, perhaps followed by arguments or another member. */
  private static final Pattern MEMBER =
      Pattern.compile("`([A-Z][A-Za-z0-9]*)\\.([A-Za-z]\\w*)(?:[.#(][^`\n]*)?`");

  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*");
  private static final Pattern DECLARED =
      Pattern.compile("(?m)\\b(?:class|interface|record|enum|@interface) (\\w+)");

  private static final Pattern DRAWING = Pattern.compile("(?ms)^```mermaid$(.*?)^```$");

  /** The name of a class of two words or more in a drawing. */
  private static final Pattern DRAWN = Pattern.compile("\\b[A-Z][a-z]+[A-Z]\\w*\\b");

  /** The name of a file of the repository in backticks. */
  private static final Pattern FILE =
      Pattern.compile("`([\\w./-]+/[\\w.-]+\\.(?:java|proto|yaml|md|js))`");

  private static List<Path> documents() throws IOException {
    List<Path> documents = new ArrayList<>();
    documents.add(ROOT.resolve("README.md"));
    documents.add(ROOT.resolve("CONTRIBUTING.md"));
    try (Stream<Path> files = Files.walk(DOCS)) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(documents::add);
    }
    return documents;
  }

  private static String prose(Path document) throws IOException {
    String text = FENCED.matcher(Files.readString(document)).replaceAll("");
    return CODE.matcher(text).replaceAll("code");
  }

  /** Returns the anchors that a forge generates from the headings of a document. */
  private static Set<String> anchors(Path document) throws IOException {
    String text = FENCED.matcher(Files.readString(document)).replaceAll("");
    return HEADING
        .matcher(text)
        .results()
        .map(
            heading ->
                heading
                    .group(1)
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void resolvesEveryLinkToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      Matcher link = LINK.matcher(prose(document));
      while (link.find()) {
        String target = link.group(1);
        if (!target.matches("[a-z]+:.*") && !exists(document, target)) {
          broken.add(document + ": " + target);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean exists(Path document, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
    return Files.exists(file) && (parts.length == 1 || anchors(file).contains(parts[1]));
  }

  @Test
  void linksEveryDocumentFromTheIndex() throws IOException {
    String index = Files.readString(DOCS.resolve("README.md"));
    assertThat(documents())
        .filteredOn(file -> file.startsWith(DOCS) && !file.startsWith(DOCS.resolve("adr")))
        .filteredOn(file -> !file.endsWith("docs/README.md"))
        .allSatisfy(
            file ->
                assertThat(index)
                    .contains("](" + DOCS.relativize(file).toString().replace('\\', '/')));
  }

  @ParameterizedTest
  @CsvSource({
    "docs/architecture.md, 100",
    "docs/glossary.md, 50",
    "docs/adding-an-operation.md, 50",
    "CONTRIBUTING.md, 10",
    "docs/query.md, 5",
    "docs/security.md, 10"
  })
  void namesOnlyExistingClassesAndFiles(String name, int fewest) throws IOException {
    String document = Files.readString(ROOT.resolve(name));
    Set<String> types = new TreeSet<>();
    TYPE.matcher(document).results().forEach(type -> types.add(type.group(1)));
    assertThat(types).hasSizeGreaterThan(fewest);
    for (MatchResult drawing : DRAWING.matcher(document).results().toList()) {
      DRAWN.matcher(drawing.group(1)).results().forEach(type -> types.add(type.group()));
    }
    types.removeAll(types());
    types.removeAll(OTHERS);
    assertThat(types).as("unknown classes").isEmpty();
    FILE.matcher(document)
        .results()
        .forEach(file -> assertThat(ROOT.resolve(file.group(1))).as(name).exists());
  }

  /** Members of classes are named as {@code Class.member}. */
  @Test
  void namesOnlyExistingMembers() throws IOException {
    Map<String, List<String>> declared = declaringSources();
    List<String> unknown = new ArrayList<>();
    int checked = 0;
    for (Path document : documents()) {
      if (isHistory(document) || document.endsWith("parity.md")) {
        continue; // ParityDocumentTest checks the members, of the TypeScript client too
      }
      String text = FENCED.matcher(Files.readString(document)).replaceAll("");
      for (MatchResult named : MEMBER.matcher(text).results().toList()) {
        if (declared.containsKey(named.group(1)) && !OTHERS.contains(named.group(1))) {
          checked++;
          if (!hasMember(named.group(1), named.group(2), declared)) {
            unknown.add(document + ": " + named.group());
          }
        }
      }
    }
    assertThat(unknown).isEmpty();
    assertThat(checked).isGreaterThan(50);
  }

  /** Returns true for documents that name what no longer exists. */
  private static boolean isHistory(Path document) {
    return document.startsWith(DOCS.resolve("adr")) || document.endsWith("upgrading.md");
  }

  /** Returns true if a source of a type, or of a type that it extends, declares a member. */
  private static boolean hasMember(String type, String member, Map<String, List<String>> declared) {
    String property = // withX is generated from the component x of a record
        member.matches("with[A-Z].*")
            ? member.substring(4, 5).toLowerCase(Locale.ROOT) + member.substring(5)
            : member;
    Pattern declaration =
        Pattern.compile(
            "(?m)[\\w>\\]](?<!\\b(?:return|new|else|throw|yield|case))\\s+(?:%1$s|%2$s)\\b\\s*[(=;,)<]"
                    .formatted(member, property)
                + "|^\\s*%1$s\\s*[(,;{]".formatted(member)
                + "|(?:class|interface|record|enum) %1$s\\b".formatted(member));
    Pattern parents =
        Pattern.compile("\\b" + type + "\\b[^{;]*?\\b(?:extends|implements)\\s+([^{]*)\\{");
    for (String source : declared.get(type)) {
      if (declaration.matcher(source).find()) {
        return true;
      }
      Matcher header = parents.matcher(source);
      if (header.find()) {
        for (MatchResult parent : WORD.matcher(header.group(1)).results().toList()) {
          if (!parent.group().equals(type)
              && declared.containsKey(parent.group())
              && hasMember(parent.group(), member, declared)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Returns the simple names of all classes in the sources, nested ones included. */
  private static Set<String> types() throws IOException {
    return declaringSources().keySet();
  }

  /** Returns the sources without comments, by the simple names of the types that they declare. */
  private static Map<String, List<String>> declaringSources() throws IOException {
    Map<String, List<String>> types = new HashMap<>();
    List<Path> modules;
    try (Stream<Path> all = Files.list(ROOT)) {
      modules = all.map(module -> module.resolve("src")).filter(Files::isDirectory).toList();
    }
    for (Path module : modules) {
      List<Path> sources;
      try (Stream<Path> files = Files.walk(module)) {
        sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      }
      for (Path source : sources) {
        String text = COMMENT.matcher(Files.readString(source)).replaceAll("");
        DECLARED
            .matcher(text)
            .results()
            .forEach(
                type -> types.computeIfAbsent(type.group(1), t -> new ArrayList<>()).add(text));
      }
    }
    return types;
  }

  /** A section of the architecture fits on a screen. */
  @Test
  void keepsSectionsOfTheArchitectureShort() throws IOException {
    String[] sections = Files.readString(DOCS.resolve("architecture.md")).split("(?m)^(?=## )");
    assertThat(sections).hasSizeGreaterThan(6);
    assertThat(sections)
        .allSatisfy(
            section -> assertThat(section.lines()).hasSizeLessThanOrEqualTo(MAX_SECTION_LINES));
  }
}
