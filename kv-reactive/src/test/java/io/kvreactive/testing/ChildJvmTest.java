package io.kvreactive.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class ChildJvmTest {
  /** Starts a child that prints its process id, passes that on and waits. */
  static final class Parent {
    private Parent() {}

    public static void main(String[] args) throws Exception {
      try (ChildJvm child = ChildJvm.start(Child.class)) {
        System.out.println(child.readLine());
        child.waitFor();
      }
    }
  }

  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      System.out.println(ProcessHandle.current().pid());
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  /** Logs a warning, then prints a line. */
  static final class Logging {
    private Logging() {}

    public static void main(String[] args) {
      LoggerFactory.getLogger(Logging.class).warn("a warning");
      System.out.println("a result");
    }
  }

  @Test
  void logsBesideItsResults() throws Exception {
    try (ChildJvm child = ChildJvm.start(Logging.class)) {
      assertThat(child.readLine()).isEqualTo("a result");
    }
  }

  @Test
  void endsWithItsKilledParent() throws Exception {
    try (ChildJvm parent = ChildJvm.start(Parent.class)) {
      ProcessHandle child = ProcessHandle.of(Long.parseLong(parent.readLine())).orElseThrow();
      assertThat(child.isAlive()).isTrue();
      parent.close();
      child.onExit().get(1, TimeUnit.MINUTES);
    }
  }
}
