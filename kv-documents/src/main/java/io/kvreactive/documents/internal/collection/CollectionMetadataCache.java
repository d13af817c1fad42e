package io.kvreactive.documents.internal.collection;

import io.kvreactive.Versionstamp;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.store.CollectionKeys;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Caches the metadata of one collection: its definition, index layout and versionstamp.
 *
 * <p>Entries may be stale, since another handle or process may change the definition. A commit
 * checks the versionstamp of the metadata record. A query or a read takes the record together with
 * its first page. A stale entry therefore causes a retry and never a wrong result. Thread-safe.
 */
public final class CollectionMetadataCache {
  private final KvEngine engine;
  private final Scheduler worker;
  private final String root;
  private final String name;
  private final byte[] recordKey;
  private volatile @Nullable CollectionMetadata last;
  private volatile @Nullable Confirmed confirmed;

  private record Confirmed(CollectionMetadata metadata, Versionstamp at) {}

  public CollectionMetadataCache(KvEngine engine, Scheduler worker, String root, String name) {
    this.engine = engine;
    this.worker = worker;
    this.root = root;
    this.name = name;
    this.recordKey = CollectionKeys.definition(root, name);
  }

  /** Returns the error for a collection that does not exist. */
  public static DocumentException notFound(String name) {
    return new DocumentException(
        DocumentErrorCode.COLLECTION_NOT_FOUND, "collection \"" + name + "\" does not exist");
  }

  public String name() {
    return name;
  }

  public byte[] recordKey() {
    return recordKey;
  }

  /** Returns the cached metadata, or null if none has been read yet. */
  public @Nullable CollectionMetadata known() {
    return last;
  }

  /** Records that the given metadata was current at the given version. */
  public void confirm(CollectionMetadata metadata, Versionstamp at) {
    Confirmed known = confirmed;
    if (known == null || known.metadata() != metadata || !known.at().equals(at)) {
      confirmed = new Confirmed(metadata, at);
    }
  }

  /** Returns true if the given metadata is known to have been current at the given version. */
  public boolean isConfirmed(CollectionMetadata metadata, Versionstamp at) {
    Confirmed known = confirmed;
    return known != null && known.metadata() == metadata && known.at().equals(at);
  }

  /**
   * Emits the cached metadata on the subscribing thread, or else reads it and emits it on a worker.
   * Error: COLLECTION_NOT_FOUND.
   */
  public Mono<CollectionMetadata> current() {
    return Mono.defer(
        () -> {
          CollectionMetadata seen = last;
          return seen == null ? refresh().publishOn(worker) : Mono.just(seen);
        });
  }

  /** Reads the current metadata from the store and emits it. Error: COLLECTION_NOT_FOUND. */
  public Mono<CollectionMetadata> refresh() {
    return engine
        .read(List.of(ReadRange.point(recordKey)), null)
        .publishOn(worker)
        .flatMap(
            read -> {
              CollectionMetadata metadata = of(read.pages().get(0));
              return metadata == null ? Mono.error(notFound(name)) : Mono.just(metadata);
            });
  }

  /**
   * Returns the metadata in a page of {@code ReadRange.point(recordKey())}, or null if the
   * collection does not exist.
   */
  public @Nullable CollectionMetadata of(RangePage page) {
    if (page.entries().isEmpty()) {
      last = null;
      return null;
    }
    StoredEntry entry = page.entries().get(0);
    CollectionMetadata seen = last;
    if (seen != null && seen.versionstamp().equals(entry.versionstamp())) {
      return seen;
    }
    return seen(
        CollectionMetadata.decode(
            root, name, Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp()));
  }

  private CollectionMetadata seen(CollectionMetadata metadata) {
    CollectionMetadata newest = last;
    if (newest == null || newest.versionstamp().compareTo(metadata.versionstamp()) < 0) {
      last = metadata;
    }
    return metadata;
  }
}
