package io.kvreactive.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.kvreactive.architecture.Module.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The packages that a package may use. */
class PackageWallsTest {
  private static final Pattern NAMED_TYPE =
      Pattern.compile("\\{@(?:link|code)[\\s*]+(?:[a-z]\\w*\\.)*[A-Z]");
  private static final String STORE = "io.kvreactive.internal.store..";
  private static final String ENGINE = "io.kvreactive.internal.engine..";
  private static final String API = "io.kvreactive.internal.api..";
  private static final String METRICS = "io.kvreactive.metrics..";

  /**
   * Packages behind a public API, and those of programs. A public API and its implementation depend
   * on each other, and so do the packages of {@code internal.api}.
   */
  private static final SliceAssignment PACKAGES =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          String name = type.getPackageName();
          return name.matches(".*\\.(internal|server|bench|examples)\\..*")
              ? SliceIdentifier.of(name.replaceFirst("(\\.internal\\.api)\\..*", "$1"))
              : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  @Test
  void formNoCycles() {
    slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void keepExtensionPointsIndependentOfImplementations() {
    noClasses()
        .that()
        .resideInAPackage("io.kvreactive..spi..")
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.kvreactive..internal.."))
        .check(CLASSES);
  }

  @Test
  void accessFilesOnlyInTheStore() {
    noClasses()
        .that(Module.KV_REACTIVE.types())
        .and()
        .resideOutsideOfPackage(STORE)
        .should()
        .dependOnClassesThat(resideInAnyPackage("java.nio.channels.."))
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("java.nio.file..").and(not(assignableTo(Path.class))))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching(
            "java\\.io\\.(File|FileInputStream|FileOutputStream|FileDescriptor|FileReader"
                + "|FileWriter|RandomAccessFile)")
        .check(CLASSES);
  }

  @Test
  void keepTheStoreIndependentOfEngineApiAndReactiveLibraries() {
    noClasses()
        .that()
        .resideInAPackage(STORE)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(ENGINE, API, "reactor..", "org.reactivestreams..", "io.vertx..")
                .or(describe("shared and reactive", PackageWallsTest::isSharedAndReactive)))
        .check(CLASSES);
  }

  /** The store shares the clock and the checks of arguments only. */
  private static boolean isSharedAndReactive(JavaClass type) {
    return type.getPackageName().equals(Module.SHARED)
        && type.getDirectDependenciesFromSelf().stream()
            .map(use -> use.getTargetClass().getPackageName() + ".")
            .anyMatch(name -> name.matches("(reactor|org\\.reactivestreams|io\\.vertx)\\..*"));
  }

  @Test
  void keepWhatModulesShareIndependentOfImplementations() {
    noClasses()
        .that()
        .resideInAPackage(Module.SHARED)
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.kvreactive..internal..")
                .and(not(resideInAPackage(Module.SHARED)))
                .and(not(name("io.kvreactive.internal.store.file.Uptime")))) // reads no store
        .check(CLASSES);
  }

  /** The other classes own a state that one event loop accesses, or bridge to futures. */
  @Test
  void decideInOneClassWhereSignalsAreEmitted() {
    noClasses()
        .that()
        .haveNameNotMatching(
            ".*\\.(SubscriberContext|VertxBridge|ClientEventLoop|TrackedSubscription"
                + "|ConnectionPool\\$Call|Outlet|RequestLines\\$Lines)")
        .and(not(Module.KV_ENGINE_TESTKIT.types())) // which asks where they were emitted
        .should()
        .callMethod("io.vertx.core.Vertx", "currentContext")
        .orShould()
        .callMethod(
            "reactor.core.scheduler.Schedulers", "fromExecutor", "java.util.concurrent.Executor")
        .check(CLASSES);
  }

  @Test
  void keepTheEngineIndependentOfTheApi() {
    noClasses()
        .that()
        .resideInAnyPackage(
            ENGINE, "io.kvreactive.internal.key..", "io.kvreactive.internal.value..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage(API)
        .check(CLASSES);
  }

  @Test
  void keepTheEngineIndependentOfVertx() {
    noClasses()
        .that()
        .resideInAPackage(ENGINE)
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.vertx..")
        .check(CLASSES);
  }

  @Test
  void keepMicrometerOptional() {
    noClasses()
        .that(Module.KV_REACTIVE.types())
        .and()
        .resideOutsideOfPackage(METRICS)
        .should()
        .dependOnClassesThat(resideInAnyPackage("io.micrometer..", METRICS))
        .check(CLASSES);
  }

  @Test
  void keepRightsAndTokensIndependentOfRequests() {
    noClasses()
        .that()
        .resideInAPackage("io.kvreactive.web.internal.auth..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "io.vertx.ext.web..", "io.vertx.core.http..", "io.kvreactive.web.internal.http.."))
        .check(CLASSES);
  }

  /** A reader of a package starts with the types that its description names. */
  @Test
  void nameTheTypesToStartWith() throws IOException {
    Set<Path> unnamed = new TreeSet<>();
    for (Module module : Module.values()) {
      Path sources = Path.of("..", module.directory(), "src", "main", "java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(path -> path.endsWith("package-info.java")).toList()) {
          if (!NAMED_TYPE.matcher(Files.readString(file)).find()) {
            unnamed.add(file);
          }
        }
      }
    }
    assertThat(unnamed).isEmpty();
  }

  @Test
  void areNullMarked() {
    Set<String> packages =
        CLASSES.stream()
            .map(JavaClass::getPackageName)
            .collect(Collectors.toCollection(TreeSet::new));
    packages.removeIf(name -> CLASSES.getPackage(name).isAnnotatedWith(NullMarked.class));
    assertThat(packages).isEmpty();
    classes().should().notBeAnnotatedWith("org.jspecify.annotations.NullUnmarked").check(CLASSES);
  }
}
