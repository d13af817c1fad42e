package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.spi.KvEngine;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.UnaryOperator;

/** A real engine, of which one method answers otherwise. */
public final class ChangedEngine {
  private ChangedEngine() {}

  /**
   * The engine with other answers of one method; all else is as it was. It can be changed again.
   *
   * @param method its name
   * @param change makes of each answer another one
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

  @SuppressWarnings("unchecked") // whoever changes a method knows what it returns
  private static <R> Object changed(Object result, UnaryOperator<R> change) {
    return change.apply((R) result);
  }
}
