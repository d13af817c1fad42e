package io.kvreactive.server.serve;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handles SIGTERM and SIGINT. The first signal stops the server, a second one ends the process.
 *
 * <p>The signal class of the JDK is in {@code jdk.unsupported}. It is called by reflection, because
 * the compiler warns about it and the warning cannot be suppressed. Without that class, a shutdown
 * hook is used, which a second signal cannot interrupt.
 */
final class ShutdownSignals {
  private final CountDownLatch requested = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final AtomicBoolean first = new AtomicBoolean(true);
  private final Runnable second;

  private ShutdownSignals(Runnable second) {
    this.second = second;
  }

  /**
   * Installs the handlers.
   *
   * @param second the action for a second signal; runs on a thread of its own
   */
  static ShutdownSignals catching(Runnable second) {
    ShutdownSignals signals = new ShutdownSignals(second);
    try {
      signals.handle("TERM");
      signals.handle("INT");
    } catch (ReflectiveOperationException | RuntimeException e) {
      Runtime.getRuntime().addShutdownHook(new Thread(signals::hook, "kv-stop"));
    }
    return signals;
  }

  private void handle(String name) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    InvocationHandler caught =
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                caught();
                yield null;
              }
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              default -> "signal handler of kv";
            };
    Object proxy =
        Proxy.newProxyInstance(
            ShutdownSignals.class.getClassLoader(), new Class<?>[] {handler}, caught);
    signal
        .getMethod("handle", signal, handler)
        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
  }

  private void caught() {
    if (first.getAndSet(false)) {
      requested.countDown();
    } else {
      second.run();
    }
  }

  private void hook() {
    requested.countDown();
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(0); // without this, the signal would determine the exit status
  }

  /** Blocks until the first signal. */
  void await() throws InterruptedException {
    requested.await();
  }

  /** Lets the shutdown hook end the process. */
  void stopped() {
    done.countDown();
  }
}
