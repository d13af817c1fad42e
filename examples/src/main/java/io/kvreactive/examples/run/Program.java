package io.kvreactive.examples.run;

import io.kvreactive.Kv;
import io.kvreactive.documents.DocumentStore;
import java.util.List;
import reactor.core.publisher.Mono;

/** A program that runs on an open store. */
@FunctionalInterface
public interface Program {
  Mono<Void> run(Kv kv, Screen screen);

  /** A program with a variable amount of work. */
  @FunctionalInterface
  interface Sized {
    /**
     * Runs the program.
     *
     * @param count the number that {@link Size} gives
     */
    Mono<Void> run(Kv kv, Screen screen, int count);
  }

  /** A program with a variable amount of work and with operands. */
  @FunctionalInterface
  interface WithOperands {
    /**
     * Runs the program.
     *
     * @param count the number that {@link Size} gives
     * @param operands the values of {@link Operands}
     */
    Mono<Void> run(Kv kv, Screen screen, int count, List<String> operands);
  }

  /** A program on collections, which may be those of a server, with a variable amount of work. */
  @FunctionalInterface
  interface OnCollections {
    /**
     * Runs the program.
     *
     * @param count the number that {@link Size} gives
     */
    Mono<Void> run(DocumentStore store, Screen screen, int count);
  }
}
