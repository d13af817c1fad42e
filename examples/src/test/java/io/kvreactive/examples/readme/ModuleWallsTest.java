package io.kvreactive.examples.readme;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the dependencies between modules. Each module tests its own packages. */
class ModuleWallsTest {
  private static final Pattern TESTS = Pattern.compile(".*(/test-classes/|/test/|-tests\\.jar).*");

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(location -> !location.matches(TESTS))
          .importPackages("io.kvreactive");

  @ParameterizedTest
  @CsvSource({
    "io.kvreactive.internal.., 'index|spatial|vector|connect|web|server|bench|examples'",
    "io.kvreactive.index.internal.., 'spatial|vector|connect|web|server|bench|examples'",
    "io.kvreactive.connect.internal.., 'index|spatial|vector|web|server|bench|examples'",
    "io.kvreactive.web.internal.., 'index|spatial|vector|connect|server|bench|examples'",
  })
  void keepsInternalsWithinTheirModule(String internals, String others) {
    noClasses()
        .that()
        .haveNameMatching("io\\.kvreactive\\.(" + others + ")\\..*")
        .should()
        .dependOnClassesThat(resideInAPackage(internals))
        .check(MAIN);
  }

  /** Data flows one way: server, web, index, core. */
  @ParameterizedTest
  @CsvSource({
    "io.kvreactive.index.., 'server|web|spatial|vector|connect'",
    "io.kvreactive.spatial.., 'server|web|vector|connect'",
    "io.kvreactive.vector.., 'server|web|spatial|connect'",
    "io.kvreactive.connect.., 'server|web|index|spatial|vector'",
    "io.kvreactive.web.., 'server|spatial|vector'",
  })
  void allowsDependenciesOnLowerModulesOnly(String module, String above) {
    noClasses()
        .that(resideInAPackage(module))
        .should()
        .dependOnClassesThat()
        .haveNameMatching("io\\.kvreactive\\.(" + above + ")\\..*")
        .check(MAIN);
  }

  @Test
  void keepsTheCoreFreeOfOtherModules() {
    noClasses()
        .that(
            resideOutsideOfPackage("io.kvreactive.index..")
                .and(resideOutsideOfPackage("io.kvreactive.spatial.."))
                .and(resideOutsideOfPackage("io.kvreactive.vector.."))
                .and(resideOutsideOfPackage("io.kvreactive.connect.."))
                .and(resideOutsideOfPackage("io.kvreactive.web.."))
                .and(resideOutsideOfPackage("io.kvreactive.server.."))
                .and(resideOutsideOfPackage("io.kvreactive.examples..")))
        .should()
        .dependOnClassesThat()
        .haveNameMatching(
            "io\\.kvreactive\\.(index|spatial|vector|connect|web|server|examples)\\..*")
        .check(MAIN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"io.kvreactive.internal", "io.kvreactive.index.internal"})
  void hasNoCyclesOfInternalPackages(String internals) {
    slices().matching(internals + ".(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void keepsGeometryAndNeighborsInTheirModules() {
    noClasses()
        .that(resideOutsideOfPackage("io.kvreactive.spatial.."))
        .should()
        .dependOnClassesThat()
        .haveNameMatching("(com\\.google\\.common\\.geometry|org\\.locationtech|net\\.sf\\.geo).*")
        .check(MAIN);
    noClasses()
        .that(resideOutsideOfPackage("io.kvreactive.vector.."))
        .should()
        .dependOnClassesThat(resideInAPackage("io.github.jbellis.."))
        .check(MAIN);
  }

  @Test
  void marksEveryPackageAsNullMarked() {
    Set<String> packages =
        MAIN.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
    packages.removeIf(
        name ->
            name.contains("examples")
                || name.endsWith(".wire") // generated
                || name.endsWith(".grammar")
                || MAIN.getPackage(name).isAnnotatedWith(NullMarked.class));
    assertThat(packages).isEmpty();
  }

  @Test
  void hasUniqueSimpleNamesAcrossModules() throws IOException {
    Map<String, List<Path>> files = new TreeMap<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.map(each -> each.resolve("src/main/java")).toList()) {
        if (Files.isDirectory(module)) {
          try (Stream<Path> all = Files.walk(module)) {
            all.filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("package-info.java"))
                .forEach(
                    file ->
                        files
                            .computeIfAbsent(file.getFileName().toString(), n -> new ArrayList<>())
                            .add(file));
          }
        }
      }
    }
    assertThat(files).hasSizeGreaterThan(500);
    files.values().removeIf(same -> same.size() == 1);
    assertThat(files).isEmpty();
  }
}
