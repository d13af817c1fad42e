package io.kvreactive.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static io.kvreactive.architecture.Module.CLASSES;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The classes that may block their thread. These rules do not cover monitors, locks and files. */
class BlockingWallsTest {
  /** Classes that own threads and wait only on these. */
  private static final Set<String> OWNERS_OF_THREADS =
      Set.of(
          // idle threads
          "io.kvreactive.internal.engine.ReadPool",
          "io.kvreactive.internal.shared.CallbackThread",
          // waiting work
          "io.kvreactive.documents.internal.worker.WorkerPool",
          // the thread of vector indexes reads and commits in sequence
          "io.kvreactive.documents.internal.transform.NeighborThread",
          "io.kvreactive.documents.internal.transform.NeighborIndexer",
          "io.kvreactive.documents.internal.transform.SavedNeighbors");

  private static final DescribedPredicate<JavaClass> PROGRAMS =
      Module.KV_SERVER
          .types()
          .or(Module.KV_BENCH.types())
          .or(Module.EXAMPLES.types())
          .or(Module.KV_ENGINE_TESTKIT.types()); // which runs on the threads of tests

  private static final DescribedPredicate<JavaMethodCall> WAITS =
      describe("a call that waits", BlockingWallsTest::waits);

  private static boolean waits(JavaMethodCall call) {
    JavaClass owner = call.getTargetOwner();
    String name = call.getName();
    String library = owner.getPackageName() + ".";
    if (library.startsWith("reactor.") || library.startsWith("io.vertx.")) {
      return name.matches("block(Optional|First|Last)?|toIterable|toStream|toFuture|await");
    }
    if (library.startsWith("java.util.concurrent.")) {
      return owner.getSimpleName().matches(".*(Future|Latch|Semaphore|Barrier|Condition|Phaser)")
              && name.matches("get|join|await.*|acquire")
          || owner.getSimpleName().endsWith("ExecutorService")
              && name.matches("awaitTermination|invoke(All|Any)")
          || owner.getSimpleName().matches("Blocking(Queue|Deque)|.*Blocking(Queue|Deque)")
              && name.matches("take.*|put.*")
          || owner.getSimpleName().equals("LockSupport") && name.startsWith("park");
    }
    return owner.isEquivalentTo(Thread.class) && name.matches("sleep|join")
        || owner.isEquivalentTo(Object.class) && name.equals("wait");
  }

  @Test
  void onlyProgramsAndOwnersOfThreadsWait() {
    noClasses()
        .that(not(PROGRAMS))
        .and(describe("own no threads", type -> !OWNERS_OF_THREADS.contains(topLevel(type))))
        .should()
        .callMethodWhere(WAITS)
        .check(CLASSES);
  }

  @Test
  void everyOwnerOfThreadsWaits() {
    assertThat(
            CLASSES.stream()
                .filter(not(PROGRAMS))
                .filter(type -> type.getMethodCallsFromSelf().stream().anyMatch(WAITS))
                .map(BlockingWallsTest::topLevel)
                .collect(Collectors.toSet()))
        .containsAll(OWNERS_OF_THREADS);
  }

  private static String topLevel(JavaClass type) {
    return type.getEnclosingClass().map(BlockingWallsTest::topLevel).orElseGet(type::getName);
  }

  /** The server offloads large bodies to worker threads, and kv-postgres large commits. */
  @Test
  void onlyTheServerAndPostgresUseWorkerThreadsOfVertx() {
    noClasses()
        .that(
            not(Module.KV_WEB.types().or(Module.KV_SERVER.types()).or(Module.KV_POSTGRES.types())))
        .should()
        .callMethodWhere(
            describe("executeBlocking", call -> call.getName().equals("executeBlocking")))
        .check(CLASSES);
  }
}
