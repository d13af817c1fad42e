package io.kvreactive.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
