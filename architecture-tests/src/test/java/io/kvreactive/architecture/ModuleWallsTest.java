package io.kvreactive.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.kvreactive.architecture.Module.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The modules and libraries that a module may use. */
class ModuleWallsTest {
  @Test
  void knowsAllModulesOfTheBuild() throws IOException {
    String build = Files.readString(Path.of("../pom.xml"));
    assertThat(
            Pattern.compile("<module>(.+)</module>").matcher(build).results().map(m -> m.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of(Module.values()).map(Module::directory),
                    Stream.of("architecture-tests", "kv-bom", "consumer-tests", "stress-tests"))
                .toList());
  }

  @ParameterizedTest
  @EnumSource
  void usesPublicTypesOfLowerModulesOnly(Module module) {
    assertThat(CLASSES.that(module.types())).isNotEmpty();
    noClasses()
        .that(module.types())
        .should()
        .dependOnClassesThat(describe("in a module above", type -> !module.mayUse(type)))
        .orShould()
        .dependOnClassesThat(
            describe(
                "internal to another module",
                type -> Module.isInternal(type) && !module.has(type) && !module.shares(type)))
        .check(CLASSES);
  }

  /** A library that is replaceable or large serves one module or package, and measurements. */
  @ParameterizedTest
  @CsvSource({
    "io.kvreactive.internal.store.image.., org.mapdb..",
    "io.kvreactive.spatial.., com.google.common.geometry..",
    "io.kvreactive.spatial.., org.locationtech..",
    "io.kvreactive.spatial.., net.sf.geographiclib..",
    "io.kvreactive.vector.., io.github.jbellis..",
    "io.kvreactive.server.., picocli..",
    "io.kvreactive.server.., ch.qos.logback..",
    "io.kvreactive.server.., io.micrometer.prometheusmetrics..",
  })
  void usesALibraryInOnePlace(String user, String library) {
    noClasses()
        .that(resideOutsideOfPackage(user).and(not(Module.KV_BENCH.types())))
        .should()
        .dependOnClassesThat(resideInAPackage(library))
        .check(CLASSES);
  }

  /** Exchanges with servers and their repetition have one home; WebSockets are no exchanges. */
  @Test
  void usesTheHttpClientOfVertxInOneModule() {
    noClasses()
        .that(not(Module.KV_HTTP_CLIENT.types().or(Module.KV_BENCH.types())))
        .should()
        .dependOnClassesThat()
        .haveNameMatching("io\\.vertx\\.core\\.http\\.HttpClient(Agent|Request|Response)?")
        .check(CLASSES);
  }

  /** Types of Vert.x that a minor release may change. */
  @Test
  void usesInternalsOfVertxInOnePackage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.kvreactive.web.internal.vertx")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx.core..impl..", "io.vertx.core.internal..")
        .check(CLASSES);
  }

  @Test
  void namesTypesUniquely() {
    Map<String, String> same =
        CLASSES.stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    Collectors.mapping(JavaClass::getPackageName, Collectors.joining(", "))));
    assertThat(same).hasSizeGreaterThan(500);
    same.values().removeIf(packages -> !packages.contains(", "));
    assertThat(same).isEmpty();
  }
}
