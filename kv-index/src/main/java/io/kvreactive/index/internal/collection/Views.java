package io.kvreactive.index.internal.collection;

import io.kvreactive.Versionstamp;
import io.kvreactive.index.CollectionDefinition;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.internal.store.CollectionKeys;
import io.kvreactive.index.internal.store.CollectionView;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The collection of a name, as last seen. What is seen may be outdated: a commit checks the
 * record's versionstamp, and a query reads the record with its first page.
 */
public final class Views {
  private final KvEngine engine;
  private final String root;
  private final String name;
  private final byte[] recordKey;
  private final Mono<CollectionView> absent;
  private volatile @Nullable CollectionDefinition expected; // until it was found
  private volatile @Nullable CollectionView last;
  private volatile @Nullable Confirmed confirmed;

  private record Confirmed(CollectionView view, Versionstamp at) {}

  /** Of a collection that must be there. */
  public Views(KvEngine engine, String root, String name) {
    this(engine, root, name, Mono.error(() -> notFound(name)), null);
  }

  /**
   * @param absent what to do when there is no such collection; may emit one that was created
   * @param expected what a collection that is there must be when it is seen first; null for any
   */
  public Views(
      KvEngine engine,
      String root,
      String name,
      Mono<CollectionView> absent,
      @Nullable CollectionDefinition expected) {
    this.engine = engine;
    this.root = root;
    this.name = name;
    this.recordKey = CollectionKeys.definition(root, name);
    this.absent = absent;
    this.expected = expected;
  }

  /** The error for a collection that is not there. */
  public static IndexException notFound(String name) {
    return new IndexException(
        IndexErrorCode.COLLECTION_NOT_FOUND,
        "collection: \"" + name + "\" (expected: one there is)");
  }

  public String name() {
    return name;
  }

  public byte[] recordKey() {
    return recordKey;
  }

  /** What was seen last; null before that. */
  public @Nullable CollectionView known() {
    return last;
  }

  /** Notes that the collection was so at that version. */
  public void confirm(CollectionView view, Versionstamp at) {
    Confirmed known = confirmed;
    if (known == null || known.view() != view || !known.at().equals(at)) {
      confirmed = new Confirmed(view, at);
    }
  }

  /** Whether the collection is known to have been so at that version. */
  public boolean isConfirmed(CollectionView view, Versionstamp at) {
    Confirmed known = confirmed;
    return known != null && known.view() == view && known.at().equals(at);
  }

  /**
   * Emits what was seen last, where it is subscribed to or else on a worker. Error:
   * COLLECTION_NOT_FOUND.
   */
  public Mono<CollectionView> current() {
    return Mono.defer(
        () -> {
          CollectionView seen = last;
          return seen == null ? refresh().publishOn(Signals.worker()) : Mono.just(seen);
        });
  }

  /** Emits what there is now. Error: COLLECTION_NOT_FOUND. */
  public Mono<CollectionView> refresh() {
    return engine
        .read(List.of(ReadRange.point(recordKey)), null)
        .publishOn(Signals.worker())
        .flatMap(
            read -> {
              CollectionView view = of(read.pages().get(0));
              return view == null ? absent.map(this::seen) : Mono.just(view);
            });
  }

  /**
   * What a page of {@code ReadRange.point(recordKey())} tells; null when there is no such
   * collection.
   */
  public @Nullable CollectionView of(RangePage page) {
    if (page.entries().isEmpty()) {
      last = null;
      return null;
    }
    StoredEntry entry = page.entries().get(0);
    CollectionView seen = last;
    if (seen != null && seen.versionstamp().equals(entry.versionstamp())) {
      return seen;
    }
    return seen(
        CollectionView.decode(
            root, name, Objects.requireNonNull(entry.value()).bytes(), entry.versionstamp()));
  }

  private CollectionView seen(CollectionView view) {
    CollectionDefinition wanted = expected;
    if (wanted != null && !wanted.equals(view.definition())) {
      throw new IndexException(
          IndexErrorCode.COLLECTION_EXISTS,
          "collection: \"" + name + "\" has another definition (expected: the same)");
    }
    expected = null;
    CollectionView newest = last;
    if (newest == null || newest.versionstamp().compareTo(view.versionstamp()) < 0) {
      last = view;
    }
    return view;
  }
}
