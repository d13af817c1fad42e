package io.kvreactive.web;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Dependency rules of this module, which never blocks. */
class WallsTest {
  private static final String INTERNAL = "io.kvreactive.web.internal";
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(
              location ->
                  !location.matches(Pattern.compile(".*(/test-classes/|/test/|-tests\\.jar).*")))
          .importPackages("io.kvreactive.web");

  private static final Set<String> WAITS =
      Set.of(
          "block", "blockOptional", "blockFirst", "blockLast", "toIterable", "toStream", "await");

  private static final Predicate<JavaMethodCall> WAITING =
      call -> {
        String owner = call.getTargetOwner().getName();
        boolean reactive = owner.startsWith("reactor.") || owner.startsWith("io.vertx.");
        return (reactive && WAITS.contains(call.getName()))
            || (owner.equals("java.lang.Thread") && call.getName().equals("sleep"))
            || (owner.startsWith("java.util.concurrent.")
                && Set.of("get", "join", "await", "acquire").contains(call.getName())
                && call.getTargetOwner().getSimpleName().matches(".*(Future|Latch|Semaphore)"))
            || call.getName().equals("toFuture") && reactive;
      };

  @Test
  void neverBlocks() {
    noClasses().should().callMethodWhere(describe("a call that waits", WAITING)).check(MAIN);
  }

  /** What only an application needs: its command line, its log, its format of metrics. */
  @Test
  void usesNothingOfAnApplication() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.kvreactive.server..",
            "io.kvreactive.spatial..",
            "io.kvreactive.vector..",
            "io.micrometer.prometheusmetrics..",
            "picocli..",
            "ch.qos.logback..")
        .check(MAIN);
  }

  @Test
  void usesNoInternalsOfTheStore() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.kvreactive.internal..")
        .check(MAIN);
  }

  @Test
  void keepsRightsAndTokensIndependentOfRequests() {
    noClasses()
        .that()
        .resideInAPackage(INTERNAL + ".auth..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx.ext.web..", "io.vertx.core.http..", INTERNAL + ".http..")
        .check(MAIN);
  }

  /** The package at the top, which puts all the others together, is not one of them. */
  @Test
  void internalPackagesFormNoCycles() {
    slices().matching(INTERNAL + ".(*)..").should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void publicSignaturesNameNoInternalTypes() {
    Set<String> leaks =
        MAIN.stream()
            .filter(type -> type.getPackageName().equals("io.kvreactive.web"))
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(WallsTest::leaks)
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(leaks).isEmpty();
  }

  private static Stream<String> leaks(JavaClass type) {
    return Stream.concat(type.getFields().stream(), type.getCodeUnits().stream())
        .filter(member -> visible(member.getModifiers()))
        .filter(
            member ->
                member.getAllInvolvedRawTypes().stream()
                    .anyMatch(named -> named.getPackageName().startsWith(INTERNAL)))
        .map(member -> member.getFullName());
  }

  private static boolean visible(Set<JavaModifier> modifiers) {
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
  }

  @Test
  void everyPackageIsNullMarked() {
    Set<String> packages =
        MAIN.stream().map(JavaClass::getPackageName).collect(Collectors.toCollection(TreeSet::new));
    packages.removeIf(name -> MAIN.getPackage(name).isAnnotatedWith(NullMarked.class));
    assertThat(packages).isEmpty();
    classes().should().notBeAnnotatedWith("org.jspecify.annotations.NullUnmarked").check(MAIN);
  }
}
