package io.kvreactive.architecture;

import static io.kvreactive.architecture.Module.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.CanBeAnnotated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apiguardian.api.API;
import org.junit.jupiter.api.Test;

/** The API that is annotated as experimental is that of the table in {@code upgrading.md}. */
class ApiStatusTest {
  private static final Pattern SECTION = Pattern.compile("(?ms)^## API status$(.*?)^## ");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]*) \\|");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  @Test
  void isExperimentalWhereTheDocumentSaysSo() throws IOException {
    String document = Files.readString(Path.of("..", "docs", "upgrading.md"));
    Set<String> documented =
        SECTION
            .matcher(document)
            .results()
            .flatMap(section -> ROW.matcher(section.group(1)).results())
            .flatMap(row -> NAME.matcher(row.group(1)).results())
            .map((MatchResult name) -> name.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(annotated()).isNotEmpty().isEqualTo(documented);
  }

  private static Set<String> annotated() {
    Stream<String> packages =
        CLASSES.stream()
            .map(JavaClass::getPackageName)
            .distinct()
            .filter(name -> isExperimental(CLASSES.getPackage(name)));
    Stream<String> types =
        CLASSES.stream()
            .filter(ApiStatusTest::isExperimental)
            .map(JavaClass::getSimpleName)
            .filter(name -> !name.equals("package-info"));
    Stream<String> members =
        CLASSES.stream()
            .flatMap(type -> type.getMembers().stream())
            .filter(ApiStatusTest::isExperimental)
            .map(member -> member.getOwner().getSimpleName() + "." + member.getName());
    return Stream.of(packages, types, members)
        .flatMap(names -> names)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isExperimental(CanBeAnnotated element) {
    return element.isAnnotatedWith(API.class);
  }

  /** Other statuses have no promise in the document. */
  @Test
  void hasNoOtherStatus() {
    Set<String> others =
        CLASSES.stream()
            .flatMap(
                type ->
                    Stream.concat(
                        type.tryGetAnnotationOfType(API.class).stream(),
                        type.getMembers().stream()
                            .flatMap(m -> m.tryGetAnnotationOfType(API.class).stream())))
            .map(API::status)
            .filter(status -> status != API.Status.EXPERIMENTAL)
            .map(Enum::name)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(others).isEmpty();
  }
}
