package io.kvreactive.examples.run;

import io.kvreactive.Kv;
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
}
