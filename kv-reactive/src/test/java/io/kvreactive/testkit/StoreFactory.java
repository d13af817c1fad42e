package io.kvreactive.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** The kind of store that a contract runs on. */
interface StoreFactory {
  /** Returns true if a closed store can be opened again with its data. */
  boolean durable();

  /** Returns the bytes of a memtable if a test can fill it, otherwise 0. */
  default long memtableBytes() {
    return 0;
  }

  /** Returns true if ranges can be deleted. */
  default boolean deletesRanges() {
    return true;
  }

  KvOptions options(Path directory);

  /** Opens a store. Overridden for stores that are opened in another way. */
  default Mono<Kv> store(Vertx vertx, KvOptions options) {
    return Kv.open(vertx, options);
  }

  /** Closes the resources opened by {@link #store}. */
  default Mono<Void> close(Kv store) {
    return store.close();
  }

  /** Without files. */
  interface InMemory extends StoreFactory {
    @Override
    default boolean durable() {
      return false;
    }

    @Override
    default KvOptions options(Path directory) {
      return KvOptions.inMemory().withName("memory-" + UUID.randomUUID());
    }
  }

  /** Returns options of a store with files that syncs each commit. */
  interface OnDisk extends StoreFactory {
    @Override
    default boolean durable() {
      return true;
    }

    @Override
    default KvOptions options(Path directory) {
      return KvOptions.at(directory);
    }
  }

  /** A store on files with a small memtable, so that commits soon move to the image. */
  interface SmallMemory extends OnDisk {
    @Override
    default long memtableBytes() {
      return 1 << 20;
    }

    @Override
    default KvOptions options(Path directory) {
      return KvOptions.at(directory).withMemoryBytes(memtableBytes());
    }
  }
}
