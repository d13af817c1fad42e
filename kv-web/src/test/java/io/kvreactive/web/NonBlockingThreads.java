package io.kvreactive.web;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingMethod;

/**
 * Fails a test if an event loop of Vert.x has blocked: it slept, waited for another thread, or read
 * or wrote a file. Waits for locks are permitted. The pom has the flags of the JVM that BlockHound
 * needs; without them this extension does nothing.
 *
 * <p>Threads of Reactor's parallel scheduler are not checked: those that began before BlockHound
 * was installed would be reported when they wait for work.
 *
 * <p>The blocking call is recorded and not interrupted, so that it changes nothing else. Threads
 * may outlive the test that started them; the failure has the stack of the call.
 */
public final class NonBlockingThreads implements BeforeEachCallback, AfterEachCallback {
  private static final String FLAG = "-XX:+AllowRedefinitionToAddDeleteMethods";
  private static final Queue<Blocked> FOUND = new ConcurrentLinkedQueue<>();

  /** A blocking call, with its stack. */
  static final class Blocked extends AssertionError {
    private static final long serialVersionUID = 1L;
    private static final int MAX_FRAMES = 12;

    Blocked(BlockingMethod method) {
      super(
          "%s has blocked in %s, called by %s"
              .formatted(Thread.currentThread().getName(), method, callers()));
    }

    /** Returns the innermost frames that are not of the JDK: runners of tests shorten stacks. */
    private static String callers() {
      return Arrays.stream(new Throwable().getStackTrace())
          .filter(
              frame -> !frame.getClassName().matches("(?:java|jdk|sun|reactor.blockhound)[.].*"))
          .filter(frame -> !frame.getClassName().startsWith(NonBlockingThreads.class.getName()))
          .limit(MAX_FRAMES)
          .map(StackTraceElement::toString)
          .collect(Collectors.joining(" < "));
    }
  }

  static {
    if (ManagementFactory.getRuntimeMXBean().getInputArguments().contains(FLAG)) {
      install();
    }
  }

  private static void install() {
    BlockHound.Builder builder = BlockHound.builder().loadIntegrations();
    // Netty's integration takes the workers of Vert.x for threads that must not block
    builder.nonBlockingThreadPredicate(others -> NonBlockingThreads::mustNotBlock);
    allow(builder);
    filesOfChannels(builder);
    builder.blockingMethodCallback(
        method -> {
          if (!waitsForALock()) {
            FOUND.add(new Blocked(method));
          }
        });
    builder.install();
  }

  private static boolean mustNotBlock(Thread thread) {
    return thread.getName().startsWith("vert.x-eventloop-thread-");
  }

  /**
   * Returns true for a wait for a lock. It is as short as what is done under the lock, and under
   * load any lock may have to be waited for.
   */
  private static boolean waitsForALock() {
    return Arrays.stream(new Throwable().getStackTrace())
        .anyMatch(
            frame ->
                frame.getClassName().startsWith("java.util.concurrent.locks.Reentrant")
                    && frame.getMethodName().equals("lock"));
  }

  /** Permits blocking calls inside methods, each for a reason. */
  private static void allow(BlockHound.Builder builder) {
    builder
        // /dev/urandom: the kernel answers at once
        .allowBlockingCallsInside("java.security.SecureRandom", "nextBytes")
        // a lock that is held for a few instructions, and is no ReentrantLock
        .allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator", "allocate")
        // the console
        .allowBlockingCallsInside("ch.qos.logback.classic.Logger", "callAppenders")
        // files that are read once in a process: /proc, net.properties, services in jars
        .allowBlockingCallsInside(
            "io.kvreactive.web.internal.guard.ConnectionLimiter", "freeDescriptors")
        .allowBlockingCallsInside("io.netty.bootstrap.AbstractBootstrap", "initAndRegister")
        .allowBlockingCallsInside("io.opentelemetry.context.LazyStorage", "createStorage")
        // the end of a Vertx waits for its queues
        .allowBlockingCallsInside("io.vertx.core.internal.WorkerPool", "close");
  }

  /**
   * Adds reads and syncs of files by channels, which BlockHound does not know. Writes at the
   * position of a channel are missing: sockets write by the same method.
   */
  private static void filesOfChannels(BlockHound.Builder builder) {
    String type =
        Runtime.version().feature() < 21
            ? "sun.nio.ch.FileDispatcherImpl"
            : "sun.nio.ch.UnixFileDispatcherImpl";
    builder
        .markAsBlocking(type, "read0", "(Ljava/io/FileDescriptor;JI)I")
        .markAsBlocking(type, "pread0", "(Ljava/io/FileDescriptor;JIJ)I")
        .markAsBlocking(type, "pwrite0", "(Ljava/io/FileDescriptor;JIJ)I")
        .markAsBlocking(type, "force0", "(Ljava/io/FileDescriptor;Z)I");
  }

  /** Returns the blocking calls since the last invocation. */
  static List<Blocked> take() {
    List<Blocked> taken = new ArrayList<>();
    for (Blocked next = FOUND.poll(); next != null; next = FOUND.poll()) {
      taken.add(next);
    }
    return taken;
  }

  /** Ignores what has blocked before the test: other tests permit it. */
  @Override
  public void beforeEach(ExtensionContext context) {
    var unused = take();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    List<Blocked> found = take();
    if (!found.isEmpty()) {
      Blocked first = found.get(0);
      found.stream().skip(1).limit(10).forEach(first::addSuppressed);
      throw first;
    }
  }
}
