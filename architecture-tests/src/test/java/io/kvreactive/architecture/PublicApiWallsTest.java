package io.kvreactive.architecture;

import static io.kvreactive.architecture.Module.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The types in the signatures of public types. */
class PublicApiWallsTest {
  @Test
  void namesNoTypesOfImplementations() {
    Set<String> leaks =
        CLASSES.stream()
            .filter(type -> !isHidden(type) && PublicApi.isPublic(type))
            .flatMap(type -> Stream.concat(supertypes(type), signatures(type)))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(leaks).isEmpty();
  }

  private static Stream<String> supertypes(JavaClass type) {
    return Stream.concat(type.getAllRawInterfaces().stream(), type.getAllRawSuperclasses().stream())
        .filter(PublicApiWallsTest::isHidden)
        .map(hidden -> type.getName() + " extends " + hidden.getName());
  }

  private static Stream<String> signatures(JavaClass type) {
    return type.getMembers().stream()
        .filter(PublicApiWallsTest::isVisible)
        .flatMap(
            member ->
                member.getAllInvolvedRawTypes().stream()
                    .filter(PublicApiWallsTest::isHidden)
                    .map(hidden -> member.getFullName() + " names " + hidden.getName()));
  }

  private static boolean isVisible(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED));
  }

  private static boolean isHidden(JavaClass type) {
    return Module.isInternal(type)
        || Module.KV_HTTP_CLIENT.has(type)
        || Module.KV_PROTOCOL.has(type)
        || type.getPackageName().startsWith("org.mapdb");
  }
}
