package io.kvreactive.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** The modules of the build, with the root of their packages and the modules that they may use. */
enum Module {
  KV_REACTIVE("io.kvreactive"),
  KV_ENGINE_TESTKIT("io.kvreactive.testkit", KV_REACTIVE),
  KV_HTTP_CLIENT("io.kvreactive.http.client", KV_REACTIVE),
  KV_CONNECT("io.kvreactive.connect", KV_REACTIVE, KV_HTTP_CLIENT),
  KV_POSTGRES("io.kvreactive.postgres", KV_REACTIVE),
  KV_DOCUMENTS("io.kvreactive.documents", KV_REACTIVE),
  KV_PROTOCOL("io.kvreactive.protocol", KV_REACTIVE, KV_DOCUMENTS),
  KV_DOCUMENTS_CLIENT(
      "io.kvreactive.documents.client", KV_REACTIVE, KV_HTTP_CLIENT, KV_DOCUMENTS, KV_PROTOCOL),
  KV_SPATIAL("io.kvreactive.spatial", KV_REACTIVE, KV_DOCUMENTS),
  KV_VECTOR("io.kvreactive.vector", KV_REACTIVE, KV_DOCUMENTS),
  KV_WEB("io.kvreactive.web", KV_REACTIVE, KV_CONNECT, KV_DOCUMENTS, KV_PROTOCOL),
  KV_SERVER(
      "io.kvreactive.server",
      KV_REACTIVE,
      KV_HTTP_CLIENT,
      KV_CONNECT,
      KV_POSTGRES,
      KV_DOCUMENTS,
      KV_WEB),
  KV_BENCH(
      "io.kvreactive.bench",
      KV_REACTIVE,
      KV_CONNECT,
      KV_POSTGRES,
      KV_DOCUMENTS,
      KV_DOCUMENTS_CLIENT,
      KV_SPATIAL,
      KV_VECTOR,
      KV_WEB),
  EXAMPLES(
      "io.kvreactive.examples",
      KV_REACTIVE,
      KV_POSTGRES,
      KV_DOCUMENTS,
      KV_SPATIAL,
      KV_VECTOR,
      KV_WEB);

  static final String SHARED = "io.kvreactive.internal.shared";

  private static final Pattern TESTS =
      Pattern.compile(".*(/test-classes/|/test/io/kvreactive/|-tests\\.jar).*");

  /** The classes of all modules, without tests and generated code. */
  static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(location -> !location.matches(TESTS))
          .importPackages(KV_REACTIVE.root)
          .that(DescribedPredicate.describe("written by hand", type -> !isGenerated(type)));

  private final String root;
  private final Set<Module> uses;

  Module(String root, Module... uses) {
    this.root = root;
    this.uses = Set.of(uses);
  }

  /** Returns true for messages, parsers and harnesses of benchmarks that a build step makes. */
  private static boolean isGenerated(JavaClass type) {
    return type.getPackageName().matches(".*\\.(wire|grammar|jmh_generated)");
  }

  /** Returns the directory of the module. */
  String directory() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns true for types of this module, whose root is the longest that fits. */
  boolean has(JavaClass type) {
    return isBelow(type)
        && EnumSet.allOf(Module.class).stream()
            .noneMatch(other -> other.root.startsWith(root + ".") && other.isBelow(type));
  }

  private boolean isBelow(JavaClass type) {
    return (type.getPackageName() + ".").startsWith(root + ".");
  }

  /** Returns true if types of this module may use a type. */
  boolean mayUse(JavaClass type) {
    return !KV_REACTIVE.isBelow(type) || has(type) || uses.stream().anyMatch(m -> m.has(type));
  }

  DescribedPredicate<JavaClass> types() {
    return DescribedPredicate.describe("in " + directory(), this::has);
  }

  /** Types in packages that programs must not use, nor other modules unless they share them. */
  static boolean isInternal(JavaClass type) {
    return KV_REACTIVE.isBelow(type) && (type.getPackageName() + ".").contains(".internal.");
  }

  /** Returns true if types of this module may use a type of the package that modules share. */
  boolean shares(JavaClass type) {
    return this != EXAMPLES && this != KV_ENGINE_TESTKIT && type.getPackageName().equals(SHARED);
  }
}
