package io.kvreactive.documents.internal.store;

import io.kvreactive.documents.IndexState;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.layout.StoredTermIndex;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.path.MemberStep;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The indexes that queries may use. While range indexes change, these are the paths that were
 * indexed before and will be indexed after the change. A new path waits for the end of the build; a
 * dropped path is unavailable at once.
 */
public final class IndexAvailability {
  /**
   * An index that is currently unavailable.
   *
   * @param index the name of the index, such as {@code composite#3}
   * @param definition the canonical text of a numbered index; null for others
   */
  public record NotReady(String index, IndexState state, @Nullable String definition) {}

  private static final MemberStep ETAG = new MemberStep(StoredItem.ETAG);

  private final IndexingMode mode;
  private final boolean lags;
  private final IndexLayout layout;
  private final List<IndexLayout> bases;
  private final List<CompositeIndex> composites;
  private final List<TupleIndex> tuples;
  private final List<StoredTermIndex> terms;
  private final List<StoredVectorIndex> vectors;
  private final List<NotReady> notReady;
  private final @Nullable IndexPath assumed; // its range index is assumed to exist

  IndexAvailability(CollectionRecord record, IndexLayout layout, List<IndexLayout> bases) {
    this.mode = record.definition().indexingPolicy().indexingMode();
    this.lags = mode == IndexingMode.LAZY || record.build(CollectionRecord.PENDING) != null;
    this.layout = layout;
    this.bases = bases;
    this.composites =
        layout.composites().stream()
            .filter(index -> record.build(composite(index.number())) == null)
            .filter(index -> index.components().stream().noneMatch(part -> isEtag(part.path())))
            .toList();
    this.tuples =
        layout.tuples().stream()
            .filter(index -> record.build(tuple(index.number())) == null)
            .toList();
    this.terms =
        layout.terms().stream()
            .filter(index -> record.build(terms(index)) == null)
            .filter(index -> !isEtag(index.rule().path()))
            .toList();
    this.vectors =
        layout.vectors().stream()
            .filter(index -> record.build(vector(index.number())) == null)
            .toList();
    List<NotReady> missing = new ArrayList<>();
    for (CollectionRecord.Build build : record.builds()) {
      missing.add(
          new NotReady(
              build.index(),
              build.error() == null ? IndexState.BUILDING : IndexState.FAILED,
              record.nameOf(build.number())));
    }
    for (CollectionRecord.Drop drop : record.drops()) {
      missing.add(new NotReady(drop.index(), IndexState.DROPPING, drop.definition()));
    }
    this.notReady = List.copyOf(missing);
    this.assumed = null;
  }

  private IndexAvailability(
      IndexAvailability from, List<CompositeIndex> composites, @Nullable IndexPath assumed) {
    this.mode = from.mode;
    this.lags = from.lags;
    this.layout = from.layout;
    this.bases = from.bases;
    this.composites = composites;
    this.tuples = from.tuples;
    this.terms = from.terms;
    this.vectors = from.vectors;
    this.notReady = from.notReady;
    this.assumed = assumed;
  }

  /** Returns these indexes and a composite index that does not exist, for planning what-if. */
  public IndexAvailability withComposite(CompositeIndex index) {
    List<CompositeIndex> more = new ArrayList<>(composites);
    more.add(index);
    return new IndexAvailability(this, List.copyOf(more), assumed);
  }

  /**
   * Returns these indexes and the range index of a path's scalars, {@code path/?}, that does not
   * exist, for planning what-if.
   */
  public IndexAvailability withRange(IndexPath path) {
    return new IndexAvailability(this, composites, path);
  }

  /** Returns the name of a composite index. */
  public static String composite(int number) {
    return "composite#" + number;
  }

  /** Returns the name of a tuple index. */
  public static String tuple(int number) {
    return "tuple#" + number;
  }

  /** Returns the name of an index of an extension, such as {@code spatial#5}. */
  public static String terms(StoredTermIndex index) {
    return index.index().kind() + "#" + index.number();
  }

  /** Returns the name of a vector index. */
  public static String vector(int number) {
    return "vector#" + number;
  }

  /**
   * Returns true if the path is the etag. Entries cannot contain the etag, because it is the
   * versionstamp of the commit that writes them.
   */
  public static boolean isEtag(IndexPath path) {
    return path.size() > 0 && path.steps().get(0).equals(ETAG);
  }

  public IndexingMode mode() {
    return mode;
  }

  /**
   * Returns true if entries may be stale, because pending indexing may exist. Stale entries give
   * candidates only: items must be read.
   */
  public boolean lags() {
    return lags;
  }

  /** Returns true if the definition indexes the scalars of a path, complete or not. */
  public boolean isDefined(IndexPath path) {
    return layout.indexesScalar(path);
  }

  /** Returns the composite indexes of the definition, complete or not. */
  public List<CompositeIndex> defined() {
    return layout.composites();
  }

  /** Returns true if every indexed item with a scalar at this path has a range entry for it. */
  public boolean rangeUsable(IndexPath path) {
    return !isEtag(path)
        && (path.equals(assumed)
            || layout.indexesScalar(path) && before(path, base -> base.indexesScalar(path)));
  }

  /** Returns true if all former layouts of an unfinished change meet a condition for a path. */
  private boolean before(IndexPath path, Predicate<IndexLayout> condition) {
    return bases.stream().allMatch(base -> condition.test(base) && layout.agreesOn(path, base));
  }

  /**
   * Returns true if every indexed item with an array or object at this path has a range entry for
   * it.
   */
  public boolean containerUsable(IndexPath path) {
    return layout.indexesContainer(path) && before(path, base -> base.indexesContainer(path));
  }

  /**
   * Returns true if every indexed item has an entry at this path, at least an entry for undefined.
   */
  public boolean explicit(IndexPath path) {
    return !isEtag(path)
        && (path.equals(assumed)
            || layout.explicit(path) && before(path, base -> base.explicit(path)));
  }

  /** Returns the complete composite indexes. */
  public List<CompositeIndex> composites() {
    return composites;
  }

  /** Returns the complete tuple indexes. */
  public List<TupleIndex> tuples() {
    return tuples;
  }

  /** Returns the complete indexes of extensions. */
  public List<StoredTermIndex> terms() {
    return terms;
  }

  /** Returns the vector indexes whose entries are complete. */
  public List<StoredVectorIndex> vectors() {
    return vectors;
  }

  /** Returns the indexes that are being built, have failed, or are being dropped. */
  public List<NotReady> notReady() {
    return notReady;
  }
}
