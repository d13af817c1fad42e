package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.spi.KvEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/** A real engine with a changed result of one method. */
public final class ChangedEngine {
  private ChangedEngine() {}

  /**
   * Returns an engine with changed results of one method. The result can be changed further.
   *
   * @param method the name of the method
   * @param change the function from the original results to the changed ones
   */
  public static <R> KvEngine of(KvEngine engine, String method, UnaryOperator<R> change) {
    assertThat(KvEngine.class.getMethods()).extracting(Method::getName).contains(method);
    return (KvEngine)
        Proxy.newProxyInstance(
            KvEngine.class.getClassLoader(),
            new Class<?>[] {KvEngine.class},
            (proxy, called, arguments) -> {
              try {
                Object result = called.invoke(engine, arguments);
                return called.getName().equals(method) ? changed(result, change) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @SuppressWarnings("unchecked") // callers know the result type of the method
  private static <R> Object changed(Object result, UnaryOperator<R> change) {
    return change.apply((R) result);
  }
}
