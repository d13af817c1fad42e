package io.kvreactive.testkit.embedded;

import io.kvreactive.Kv;
import io.kvreactive.KvOptions;
import io.kvreactive.testkit.StoreFactory;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** The kinds of embedded stores. */
interface EmbeddedStore extends StoreFactory {
  @Override
  default Mono<Kv> store(Vertx vertx, KvOptions options) {
    return Kv.open(vertx, options);
  }

  /** Returns the size of the image of a store. */
  static long imageBytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches("image.*\\.db"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  /** Without files. */
  interface InMemory extends EmbeddedStore {
    @Override
    default boolean durable() {
      return false;
    }

    @Override
    default KvOptions options(Path directory) {
      return KvOptions.inMemory().withName("memory-" + UUID.randomUUID());
    }
  }

  /** With files, and a sync of each commit. */
  interface OnDisk extends EmbeddedStore {
    @Override
    default boolean durable() {
      return true;
    }
  }

  /** With files and a small memtable, so that commits soon move to the image. */
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
