package io.kvreactive.postgres;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The walls around this module. */
class PostgresWallsTest {
  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("/test"))
          .importPackages("io.kvreactive.postgres");

  @Test
  void usesThePublicApiOfOtherModules() {
    noClasses()
        .should()
        .dependOnClassesThat(
            resideInAPackage("io.kvreactive.internal..")
                .or(resideInAPackage("io.kvreactive.index.."))
                .or(resideInAPackage("io.kvreactive.connect.."))
                .or(resideInAPackage("io.kvreactive.web..")))
        .check(MAIN);
  }

  @Test
  void neverBlocksAnEventLoop() {
    noClasses()
        .should()
        .callMethod(Mono.class, "block")
        .orShould()
        .callMethod(Flux.class, "blockLast")
        .orShould()
        .callMethod(Thread.class, "sleep", long.class)
        .orShould()
        .callMethod(java.util.concurrent.CompletableFuture.class, "join")
        .check(MAIN);
  }
}
