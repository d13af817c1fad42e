package io.kvreactive.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.Versionstamp;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Finds operations that are not forwarded and would use the default of KvEngine. */
class ForwardingKvEngineTest {
  private final List<Method> called = new ArrayList<>();

  /** The calls that consist of reads, so that an engine that changes reads changes them too. */
  private static final List<String> OF_READS = List.of("readAll", "pages");

  static Stream<Method> operations() {
    return Stream.of(KvEngine.class.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .filter(method -> !OF_READS.contains(method.getName()));
  }

  @ParameterizedTest
  @MethodSource("operations")
  void forwardsEveryOperation(Method operation) throws Exception {
    KvEngine engine =
        (KvEngine)
            Proxy.newProxyInstance(
                KvEngine.class.getClassLoader(),
                new Class<?>[] {KvEngine.class},
                (proxy, method, arguments) -> {
                  called.add(method);
                  return anyOf(method.getReturnType());
                });
    Object[] arguments =
        Stream.of(operation.getParameterTypes()).map(ForwardingKvEngineTest::anyOf).toArray();
    operation.invoke(new ForwardingKvEngine(engine) {}, arguments);
    assertThat(called).containsExactly(implementationOf(operation));
  }

  @Test
  void readsPagesByItsOwnReads() {
    ReadRange range = new ReadRange(new byte[] {1}, new byte[] {2}, 10, false, false);
    ReadResult nothing =
        new ReadResult(Versionstamp.ZERO, List.of(new RangePage(List.of(), RangePage.End.RANGE)));
    KvEngine engine =
        (KvEngine)
            Proxy.newProxyInstance(
                KvEngine.class.getClassLoader(),
                new Class<?>[] {KvEngine.class},
                (proxy, method, arguments) -> {
                  called.add(method);
                  return Mono.just(nothing);
                });
    KvEngine forwarding = new ForwardingKvEngine(engine) {};

    assertThat(forwarding.pages(range, null).collectList().block()).isEqualTo(nothing.pages());
    assertThat(forwarding.readAll(List.of(range), null).collectList().block())
        .containsExactly(nothing);
    assertThat(called).hasSize(2).allMatch(method -> method.getName().equals("read"));
  }

  /** Returns what an engine implements: the read with a maximum of bytes for the one without. */
  private static Method implementationOf(Method operation) throws NoSuchMethodException {
    return operation.getName().equals("read")
        ? KvEngine.class.getMethod("read", List.class, KvEngine.Snapshot.class, long.class)
        : operation;
  }

  private static Object anyOf(Class<?> type) {
    if (type == boolean.class) {
      return false;
    } else if (type == long.class) {
      return 1L;
    }
    return type == int.class ? 1 : null;
  }
}
