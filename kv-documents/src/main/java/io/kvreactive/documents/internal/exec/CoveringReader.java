package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.layout.CompositeComponent;
import io.kvreactive.documents.internal.layout.EntryKeys.DecodedEntry;
import io.kvreactive.documents.internal.path.IndexPath;
import io.kvreactive.documents.internal.plan.AccessPath;
import io.kvreactive.documents.internal.plan.IndexRef;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds partial documents from index entries that cover a query. Entries whose values are not
 * exact are left alone: their items are loaded.
 */
final class CoveringReader {
  /** The reader for queries that are not covered. */
  static final CoveringReader NOT_COVERED = new CoveringReader(null);

  private static final ObjectNode EMPTY = JsonNodeFactory.instance.objectNode();

  private final @Nullable List<IndexPath> paths;

  private CoveringReader(@Nullable List<IndexPath> paths) {
    this.paths = paths;
  }

  /**
   * Returns the reader for a covered plan.
   *
   * @param access the access path of the plan
   */
  static CoveringReader of(AccessPath access) {
    return access instanceof AccessPath.Scan scan
        ? of(scan.index())
        : new CoveringReader(List.of());
  }

  /** Returns the reader for the entries of an index. */
  static CoveringReader of(IndexRef index) {
    return new CoveringReader(
        index instanceof IndexRef.Composite composite
            ? composite.index().components().stream().map(CompositeComponent::path).toList()
            : List.of(((IndexRef.Range) index).path()));
  }

  List<Candidate> apply(List<Candidate> candidates) {
    List<IndexPath> known = paths;
    if (known == null) {
      return candidates;
    }
    List<Candidate> applied = new ArrayList<>(candidates.size());
    for (Candidate candidate : candidates) {
      checkpoint();
      ObjectNode document = candidate.isReady() ? null : document(candidate.entry(), known);
      applied.add(document == null ? candidate : candidate.withPartialDocument(document));
    }
    return applied;
  }

  private static @Nullable ObjectNode document(
      @Nullable DecodedEntry entry, List<IndexPath> paths) {
    if (entry == null) {
      return paths.isEmpty() ? EMPTY : null;
    }
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < paths.size(); i++) {
      DecodedValue value = entry.values().get(i);
      // in a range index, undefined may stand for an array or object
      if (!value.exact() || value.tag() == ValueEncoding.UNDEFINED && paths.size() == 1) {
        return null;
      }
      if (!value.value().isMissingNode()) {
        PathValues.set(document, paths.get(i), value.value());
      }
    }
    return document;
  }
}
