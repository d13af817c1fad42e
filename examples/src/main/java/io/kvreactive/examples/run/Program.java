package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import reactor.core.publisher.Mono;

/** What an example does with an open store. */
@FunctionalInterface
public interface Program {
  Mono<Void> run(Kv kv, Screen screen);
}
