package io.kvreactive.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Scheduler;

/** State that changes has an owner that creates and closes it: it is not static. */
class StaticStateWallsTest {
  private static final Set<String> ALLOWED =
      Set.of(
          // a lock of the operating system belongs to the process
          "io.kvreactive.internal.store.file.DirectoryLock.HELD",
          // a buffer of each thread that reads a log
          "io.kvreactive.internal.store.log.LogWindow.BUFFER");

  @Test
  void hasNoMutableStaticState() throws Exception {
    Set<String> mutable = new TreeSet<>();
    for (JavaClass type : Module.CLASSES) {
      for (JavaField field : type.getFields()) {
        Set<JavaModifier> modifiers = field.getModifiers();
        if (modifiers.contains(JavaModifier.STATIC)
            && !modifiers.contains(JavaModifier.SYNTHETIC)
            && (!modifiers.contains(JavaModifier.FINAL) || isMutable(field))) {
          mutable.add(field.getFullName());
        }
      }
    }
    assertThat(mutable).isEqualTo(ALLOWED);
  }

  private static boolean isMutable(JavaField field) throws Exception {
    Field reflected = field.reflect();
    reflected.setAccessible(true);
    Object value = reflected.get(null);
    if (value instanceof Map || value instanceof Collection) {
      String name = value.getClass().getName();
      return !name.contains("Immutable") && !name.contains("Unmodifiable");
    }
    return value instanceof Executor
        || value instanceof Scheduler
        || value instanceof Lock
        || value instanceof ThreadLocal
        || value != null
            && value.getClass().getName().matches("java\\.util\\.concurrent\\.atomic\\..*")
            && !value.getClass().getName().contains("FieldUpdater");
  }
}
