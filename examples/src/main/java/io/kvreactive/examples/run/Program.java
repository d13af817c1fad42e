package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import java.util.List;
import reactor.core.publisher.Mono;

/** What an example does with an open store. */
@FunctionalInterface
public interface Program {
  Mono<Void> run(Kv kv, Screen screen);

  /** One that does more, or less, of it. */
  @FunctionalInterface
  interface Sized {
    /**
     * Runs it.
     *
     * @param count what {@link Size} says
     */
    Mono<Void> run(Kv kv, Screen screen, int count);
  }

  /** One that does more, or less, of it, for each of its operands. */
  @FunctionalInterface
  interface WithOperands {
    /**
     * Runs it.
     *
     * @param count the number that {@link Size} gives
     * @param operands the values of {@link Operands}
     */
    Mono<Void> run(Kv kv, Screen screen, int count, List<String> operands);
  }
}
