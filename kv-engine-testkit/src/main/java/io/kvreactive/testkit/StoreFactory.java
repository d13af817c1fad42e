package io.kvreactive.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import reactor.core.publisher.Mono;

/** The kind of store that a contract runs on. Implemented once for each kind. */
public interface StoreFactory {
  /** Returns true if a closed store can be opened again with its data. */
  boolean durable();

  /**
   * Opens the store that the options name; a new one for a new name. The engine must use the limits
   * of the options, and keep old values if they say so. It may ignore the others.
   */
  Mono<Kv> store(Vertx vertx, KvOptions options);

  /** Closes the resources opened by {@link #store}. */
  default Mono<Void> close(Kv store) {
    return store.close();
  }

  /**
   * Returns the options of an empty store, which a contract may change.
   *
   * @param directory an empty directory of the test, and the default of the name
   */
  default KvOptions options(Path directory) {
    return KvOptions.at(directory);
  }

  /**
   * Returns the bytes of commits that the engine holds in memory before it moves them to files, if
   * a test can write several times as much; otherwise 0.
   */
  default long memtableBytes() {
    return 0;
  }

  /** Returns true if ranges can be deleted. */
  default boolean deletesRanges() {
    return true;
  }
}
