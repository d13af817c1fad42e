package io.kvreactive;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Dependency rules between the packages of this module. */
class WallsTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.kvreactive");

  private static final String INTERNAL = "io.kvreactive.internal..";
  private static final String STORE = "io.kvreactive.internal.store..";
  private static final String ENGINE = "io.kvreactive.internal.engine..";
  private static final String API = "io.kvreactive.internal.api..";
  private static final String REACTIVE = "io.kvreactive.internal.reactive..";

  @Test
  void usesMapDbOnlyInTheImage() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.kvreactive.internal.store.image..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.mapdb..")
        .check(MAIN);
  }

  @Test
  void accessesFilesOnlyInTheStore() {
    noClasses()
        .that()
        .resideOutsideOfPackage(STORE)
        .should()
        .dependOnClassesThat(resideInAnyPackage("java.nio.channels.."))
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("java.nio.file..").and(not(assignableTo(java.nio.file.Path.class))))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.io\\.(File|FileInputStream|FileOutputStream|FileDescriptor|FileReader"
                + "|FileWriter|RandomAccessFile)")
        .check(MAIN);
  }

  @Test
  void keepsTheStoreIndependentOfEngineApiAndReactiveLibraries() {
    noClasses()
        .that()
        .resideInAPackage(STORE)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                ENGINE, API, REACTIVE, "reactor..", "org.reactivestreams..", "io.vertx.."))
        .check(MAIN);
  }

  @Test
  void isolatesTheMetricsAndMicrometer() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.kvreactive.metrics..")
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.micrometer..", "io.kvreactive.metrics.."))
        .check(MAIN);
  }

  @Test
  void keepsTheEngineIndependentOfTheApi() {
    noClasses()
        .that()
        .resideInAnyPackage(
            ENGINE, REACTIVE, "io.kvreactive.internal.key..", "io.kvreactive.internal.value..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(API)
        .check(MAIN);
  }

  @Test
  void keepsTheEngineIndependentOfVertx() {
    noClasses()
        .that()
        .resideInAPackage(ENGINE)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx..")
        .check(MAIN);
  }

  @Test
  void usesNoInternalTypesInTheSpi() {
    noClasses()
        .that()
        .resideInAPackage("io.kvreactive.spi..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(INTERNAL)
        .check(MAIN);
  }

  @Test
  void internalPackagesFormNoCycles() {
    slices().matching("io.kvreactive.internal.(*)..").should().beFreeOfCycles().check(MAIN);
  }

  private static final SliceAssignment PACKAGES_OF_THE_STORE =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return type.getPackageName().startsWith("io.kvreactive.internal.store")
              ? SliceIdentifier.of(type.getPackageName())
              : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
          return "packages of the store";
        }
      };

  @Test
  void packagesOfTheStoreFormNoCycles() {
    slices().assignedFrom(PACKAGES_OF_THE_STORE).should().beFreeOfCycles().check(MAIN);
  }

  @Test
  void publicSignaturesNameNoInternalTypes() {
    Set<String> leaks = new TreeSet<>();
    MAIN.stream()
        .filter(type -> !type.getPackageName().startsWith("io.kvreactive.internal"))
        .filter(WallsTest::isPublic)
        .forEach(type -> signature(type).forEach(s -> leaks.addAll(s)));
    assertThat(leaks).isEmpty();
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(WallsTest::isPublic).orElse(true);
  }

  private static Stream<List<String>> signature(JavaClass type) {
    Stream<List<String>> fields =
        type.getFields().stream()
            .filter(field -> visible(field.getModifiers()))
            .map(WallsTest::types);
    Stream<List<String>> units =
        type.getCodeUnits().stream()
            .filter(unit -> visible(unit.getModifiers()))
            .map(WallsTest::types);
    Stream<List<String>> supers =
        Stream.of(
            type.getAllRawInterfaces().stream()
                .filter(WallsTest::internal)
                .map(leak -> type.getName() + " implements " + leak.getName())
                .toList());
    return Stream.of(fields, units, supers).flatMap(s -> s);
  }

  private static boolean visible(Set<JavaModifier> modifiers) {
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
  }

  private static List<String> types(JavaField field) {
    return field.getAllInvolvedRawTypes().stream()
        .filter(WallsTest::internal)
        .map(leak -> field.getFullName() + " names " + leak.getName())
        .toList();
  }

  private static List<String> types(JavaCodeUnit unit) {
    return unit.getAllInvolvedRawTypes().stream()
        .filter(type -> !type.equals(unit.getOwner()))
        .filter(WallsTest::internal)
        .map(leak -> unit.getFullName() + " names " + leak.getName())
        .toList();
  }

  private static boolean internal(JavaClass type) {
    return type.getPackageName().startsWith("io.kvreactive.internal");
  }

  private static final Set<String> BLOCKING_NAMES =
      Set.of(
          "executeBlocking",
          "block",
          "blockOptional",
          "blockFirst",
          "blockLast",
          "toIterable",
          "toStream",
          "await");

  private static final Predicate<JavaMethodCall> BLOCKS =
      call ->
          BLOCKING_NAMES.contains(call.getName())
              && (call.getTargetOwner().getPackageName().startsWith("reactor.")
                  || call.getTargetOwner().getPackageName().startsWith("io.vertx."));

  @Test
  void callsNoBlockingMethods() {
    noClasses().should().callMethodWhere(describe("a call that blocks", BLOCKS)).check(MAIN);
    noClasses().should().callMethod(Thread.class, "sleep", long.class).check(MAIN);
    noClasses().should().callMethod(Thread.class, "sleep", long.class, int.class).check(MAIN);
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
