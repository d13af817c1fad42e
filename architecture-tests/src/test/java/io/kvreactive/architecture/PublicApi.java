package io.kvreactive.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The signatures of the public types of a module, as lines of text. The line of a type has its name
 * before a colon. The lines of its members follow and are indented. They have what a caller or an
 * implementer compiles against: modifiers, types with their arguments and {@code @Nullable}, and
 * exceptions. They do not have the names of parameters, the values of constants, and {@code
 * equals}, {@code hashCode} and {@code toString}.
 */
final class PublicApi {
  static final String INDENT = "  ";

  /** The packages whose types are written without their package. */
  private static final Pattern WELL_KNOWN =
      Pattern.compile(
          "\\b(?:java\\.(?:lang|util|util\\.function|time)|reactor\\.core\\.publisher"
              + "|io\\.kvreactive(?:\\.[a-z]+)*)\\.(?=[A-Z])");

  private static final Pattern NULLABLE =
      Pattern.compile("@org\\.jspecify\\.annotations\\.Nullable\\(\\)");
  private static final Set<String> OF_ALL_OBJECTS = Set.of("equals", "hashCode", "toString");
  private static final Set<String> OF_ALL_ENUMS = Set.of("values", "valueOf");

  private record Member(int kind, String name, String line) {
    static final Comparator<Member> ORDER =
        Comparator.comparingInt(Member::kind)
            .thenComparing(Member::name)
            .thenComparing(Member::line);
  }

  private PublicApi() {}

  /** Returns the lines of a module, in the order of the names of its types. */
  static List<String> of(Module module) {
    List<String> lines = new ArrayList<>();
    Module.CLASSES.stream()
        .filter(type -> module.has(type) && isPublic(type) && !Module.isInternal(type))
        .sorted(Comparator.comparing(JavaClass::getName))
        .map(JavaClass::reflect)
        .forEach(
            type -> {
              lines.add(type.getName() + ": " + declaration(type));
              members(type, type)
                  .sorted(Member.ORDER)
                  .map(member -> INDENT + member.line())
                  .distinct()
                  .forEach(lines::add);
            });
    return lines;
  }

  /** Returns true for a public type that is not nested in a hidden one. */
  static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(PublicApi::isPublic).orElse(true);
  }

  private static String declaration(Class<?> type) {
    StringBuilder line = new StringBuilder();
    String parameters = parameters(type.getTypeParameters());
    int modifiers = type.getModifiers() & (Modifier.PUBLIC | Modifier.ABSTRACT | Modifier.FINAL);
    if (type.isInterface() || type.isEnum()) {
      modifiers &= Modifier.PUBLIC;
    }
    line.append(Modifier.toString(modifiers))
        .append(type.isSealed() ? " sealed" : "")
        .append(kind(type))
        .append(parameters.isEmpty() ? "" : " " + parameters);
    AnnotatedType parent = type.getAnnotatedSuperclass();
    if (parent != null && parent.getType() != Object.class && !type.isEnum() && !type.isRecord()) {
      line.append(" extends ").append(text(parent));
    }
    String interfaces = text(type.getAnnotatedInterfaces());
    if (!interfaces.isEmpty()) {
      line.append(type.isInterface() ? " extends " : " implements ").append(interfaces);
    }
    if (type.isSealed() && !type.isEnum()) {
      line.append(
          Arrays.stream(type.getPermittedSubclasses())
              .map(permitted -> shortened(permitted.getName()))
              .sorted()
              .collect(Collectors.joining(", ", " permits ", "")));
    }
    return line.toString();
  }

  private static String kind(Class<?> type) {
    if (type.isAnnotation()) {
      return " @interface";
    }
    return type.isInterface()
        ? " interface"
        : type.isEnum() ? " enum" : type.isRecord() ? " record" : " class";
  }

  /** Returns the members of a type, with those that it inherits from types that are not public. */
  private static Stream<Member> members(Class<?> type, Class<?> declaring) {
    Set<Class<?>> hidden = new LinkedHashSet<>(Arrays.asList(declaring.getInterfaces()));
    if (declaring.getSuperclass() != null) {
      hidden.add(declaring.getSuperclass());
    }
    hidden.removeIf(parent -> Modifier.isPublic(parent.getModifiers()));
    return Stream.concat(
        Stream.of(
                Arrays.stream(declaring.getDeclaredFields())
                    .filter(field -> isVisible(field.getModifiers(), type) && !field.isSynthetic())
                    .map(PublicApi::field),
                Arrays.stream(declaring.getDeclaredConstructors())
                    .filter(
                        made ->
                            type == declaring
                                && isVisible(made.getModifiers(), type)
                                && !made.isSynthetic())
                    .map(PublicApi::constructor),
                Arrays.stream(declaring.getDeclaredMethods())
                    .filter(
                        method ->
                            isVisible(method.getModifiers(), type)
                                && !method.isSynthetic()
                                && !OF_ALL_OBJECTS.contains(method.getName())
                                && !(type.isEnum() && OF_ALL_ENUMS.contains(method.getName())))
                    .map(PublicApi::method))
            .flatMap(members -> members),
        hidden.stream().flatMap(parent -> members(type, parent)));
  }

  private static boolean isVisible(int modifiers, Class<?> type) {
    return Modifier.isPublic(modifiers)
        || Modifier.isProtected(modifiers) && !Modifier.isFinal(type.getModifiers());
  }

  private static Member field(Field field) {
    String line =
        Modifier.toString(field.getModifiers() & ~(Modifier.VOLATILE | Modifier.TRANSIENT))
            + " "
            + text(field.getAnnotatedType())
            + " "
            + field.getName();
    return new Member(0, field.getName(), line);
  }

  private static Member constructor(Constructor<?> made) {
    String name = made.getDeclaringClass().getSimpleName();
    return new Member(1, name, executable(made, name));
  }

  private static Member method(Method method) {
    String result = text(method.getAnnotatedReturnType()) + " " + method.getName();
    return new Member(2, method.getName(), executable(method, result));
  }

  private static String executable(Executable executable, String named) {
    int modifiers =
        executable.getModifiers()
            & (Modifier.PUBLIC
                | Modifier.PROTECTED
                | Modifier.STATIC
                | Modifier.ABSTRACT
                | Modifier.FINAL);
    String parameters = parameters(executable.getTypeParameters());
    String exceptions = text(executable.getAnnotatedExceptionTypes());
    return Modifier.toString(modifiers)
        + (executable instanceof Method method && method.isDefault() ? " default " : " ")
        + (parameters.isEmpty() ? "" : parameters + " ")
        + named
        + "("
        + text(executable.getAnnotatedParameterTypes())
        + (executable.isVarArgs() ? "...)" : ")")
        + (exceptions.isEmpty() ? "" : " throws " + exceptions);
  }

  private static String parameters(TypeVariable<?>[] variables) {
    return variables.length == 0
        ? ""
        : Arrays.stream(variables)
            .map(PublicApi::parameter)
            .collect(Collectors.joining(", ", "<", ">"));
  }

  private static String parameter(TypeVariable<?> variable) {
    String bounds =
        Arrays.stream(variable.getAnnotatedBounds())
            .map(PublicApi::text)
            .filter(bound -> !bound.equals("Object"))
            .collect(Collectors.joining(" & "));
    return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
  }

  private static String text(AnnotatedType[] types) {
    return Arrays.stream(types).map(PublicApi::text).collect(Collectors.joining(", "));
  }

  private static String text(AnnotatedType type) {
    return shortened(NULLABLE.matcher(type.toString()).replaceAll("@Nullable"));
  }

  private static String shortened(String types) {
    return WELL_KNOWN.matcher(types).replaceAll("");
  }
}
