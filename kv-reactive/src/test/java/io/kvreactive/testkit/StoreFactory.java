package io.kvreactive.testkit;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.UUID;
import reactor.core.publisher.Mono;

/** Which kind of store a contract runs on. */
interface StoreFactory {
  /** Returns true if a closed store can be opened again with its data. */
  boolean durable();

  /** Bytes of a memtable when it is so small that a test can fill it; else 0. */
  default long memtableBytes() {
    return 0;
  }

  /** Returns true if ranges can be deleted. */
  default boolean deletesRanges() {
    return true;
  }

  KvOptions options(Path directory);

  /** Opens a store; one that is reached in another way says so here. */
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

  /** With files, each commit synced. */
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
