package io.kvreactive.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import net.jqwik.api.lifecycle.AddLifecycleHook;
import net.jqwik.api.lifecycle.AroundTryHook;
import net.jqwik.api.lifecycle.Lifespan;
import net.jqwik.api.lifecycle.Store;
import net.jqwik.api.lifecycle.TryExecutionResult;
import net.jqwik.api.lifecycle.TryExecutor;
import net.jqwik.api.lifecycle.TryLifecycleContext;

/**
 * The number of tries of a jqwik property in the short form, where its {@code tries} are those of
 * the long form.
 *
 * @see Tries
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@AddLifecycleHook(ShortTries.EarlyEnd.class)
public @interface ShortTries {

  /** The number of tries after which the property ends in the short form. */
  int value();

  /** Ends a property early, as satisfied, after its tries of the short form. */
  final class EarlyEnd implements AroundTryHook {
    @Override
    public TryExecutionResult aroundTry(
        TryLifecycleContext context, TryExecutor executor, List<Object> parameters) {
      int shortForm = context.targetMethod().getAnnotation(ShortTries.class).value();
      Store<Integer> done = Store.getOrCreate(EarlyEnd.class, Lifespan.PROPERTY, () -> 0);
      done.update(tries -> tries + 1);
      TryExecutionResult result = executor.execute(parameters);
      return result.isSatisfied() && done.get() >= Tries.of(shortForm, Integer.MAX_VALUE)
          ? TryExecutionResult.satisfied(true)
          : result;
    }
  }
}
