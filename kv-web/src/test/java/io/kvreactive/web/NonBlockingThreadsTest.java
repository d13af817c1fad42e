package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A blocking call fails the test, on threads that must not block and only there. */
class NonBlockingThreadsTest {
  private static final String EVENT_LOOP = "vert.x-eventloop-thread-";

  @TempDir static Path directory;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  private static Stream<Named<Callable<Object>>> blockingCalls() {
    return Stream.of(
        Named.of("sleep", NonBlockingThreadsTest::sleep),
        Named.of(
            "park",
            () -> {
              LockSupport.parkNanos(1);
              return "";
            }),
        Named.of("get of a future", () -> new CompletableFuture<>().get(1, TimeUnit.MILLISECONDS)),
        Named.of("stream of a file", () -> Files.readAllBytes(Path.of("pom.xml")).length),
        Named.of(
            "read of a channel",
            () -> {
              try (FileChannel file = FileChannel.open(Path.of("pom.xml"))) {
                return file.read(ByteBuffer.allocate(1), 0);
              }
            }),
        Named.of(
            "sync",
            () -> {
              try (FileChannel file =
                  FileChannel.open(
                      directory.resolve("synced"),
                      StandardOpenOption.CREATE,
                      StandardOpenOption.WRITE)) {
                file.force(true);
                return "";
              }
            }));
  }

  private static Object sleep() throws InterruptedException {
    Thread.sleep(1);
    return "";
  }

  @ParameterizedTest
  @MethodSource("blockingCalls")
  void failsATestWhoseEventLoopHasBlocked(Callable<Object> call) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    vertx.getOrCreateContext().runOnContext(v -> run(call, done));
    done.get(30, TimeUnit.SECONDS);
    assertFailsATest();
  }

  private static void run(Callable<Object> call, CompletableFuture<Void> done) {
    try {
      var unused = call.call();
    } catch (Exception e) {
      // of the call that has blocked
    } finally {
      done.complete(null);
    }
  }

  private static void assertFailsATest() {
    NonBlockingThreads extension = new NonBlockingThreads();
    assertThatThrownBy(() -> extension.afterEach(null))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(EVENT_LOOP)
        .hasMessageContaining("has blocked in");
    extension.afterEach(null); // which is quiet once it has reported
  }

  @ParameterizedTest
  @MethodSource("blockingCalls")
  void letsWorkersBlock(Callable<Object> call) throws Exception {
    CompletableFuture<Void> done = new CompletableFuture<>();
    var unused =
        vertx.executeBlocking(
            () -> {
              run(call, done);
              return null;
            });
    done.get(30, TimeUnit.SECONDS);
    assertThat(NonBlockingThreads.take()).isEmpty();
  }
}
