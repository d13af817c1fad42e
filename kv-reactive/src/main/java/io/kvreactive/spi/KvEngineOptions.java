package io.kvreactive.spi;

import io.vertx.core.Vertx;
import java.util.List;
import reactor.core.publisher.Mono;

/** Options of an engine outside of this module. {@code Kv.open} opens the engine. */
public interface KvEngineOptions {
  /** Returns the name in {@code kv-callback-NAME}, the thread for subscribers without a context. */
  String name();

  /** Emits an engine that is ready for use. The subscriber closes the engine. */
  Mono<KvEngine> openEngine(Vertx vertx);

  /**
   * Emits true if the store exists, and false if {@link #openEngine} creates it. For servers, which
   * open a database that exists without the right to create one. Always false for engines that
   * cannot tell.
   */
  default Mono<Boolean> exists(Vertx vertx) {
    return Mono.just(false);
  }

  /**
   * Emits the {@link #name() names} of the stores that exist where these options lead, in order, at
   * most 10,000. For servers, which list their databases. Always empty for engines that cannot
   * tell.
   */
  default Mono<List<String>> existing(Vertx vertx) {
    return Mono.just(List.of());
  }
}
