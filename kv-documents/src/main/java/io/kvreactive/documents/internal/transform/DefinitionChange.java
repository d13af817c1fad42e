package io.kvreactive.documents.internal.transform;

import io.kvreactive.documents.CollectionDefinition;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.IndexingMode;
import io.kvreactive.documents.IndexingPolicy;
import io.kvreactive.documents.internal.layout.CompositeIndex;
import io.kvreactive.documents.internal.layout.IndexLayout;
import io.kvreactive.documents.internal.layout.RangeDelta;
import io.kvreactive.documents.internal.layout.StoredTermIndex;
import io.kvreactive.documents.internal.layout.StoredVectorIndex;
import io.kvreactive.documents.internal.layout.TupleIndex;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.CollectionRecord;
import io.kvreactive.documents.internal.store.CollectionRecord.Build;
import io.kvreactive.documents.internal.store.CollectionRecord.Drop;
import io.kvreactive.documents.internal.store.CollectionRecord.Space;
import io.kvreactive.documents.internal.store.IndexAvailability;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Plans the background work that a new definition requires. Work in progress continues where it
 * stands, unless the new definition makes it pointless.
 */
final class DefinitionChange {
  private static final int MAX_BASES = 16;
  private static final IndexingPolicy NONE = IndexingPolicy.none();

  private final CollectionRecord old;
  private final IndexLayout oldLayout;
  private final CollectionDefinition definition;
  private final long now;
  private final List<Build> builds = new ArrayList<>();
  private final List<Drop> drops;
  private final Set<String> started = new LinkedHashSet<>();
  private List<CollectionDefinition> bases;

  private DefinitionChange(CollectionMetadata metadata, CollectionDefinition definition, long now) {
    this.old = metadata.record();
    this.oldLayout = metadata.writeLayout();
    this.definition = definition;
    this.now = now;
    this.bases = old.bases();
    this.drops = new ArrayList<>(old.drops());
  }

  /**
   * A planned change.
   *
   * @param record the collection record to store
   * @param started the builds that start at the first item
   */
  record Planned(CollectionRecord record, Set<String> started) {}

  /** Assigns numbers to the indexes of a collection's first definition. */
  static Map<String, Integer> numbers(CollectionDefinition definition) {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    IndexLayout.names(definition).forEach(name -> numbers.put(name, numbers.size() + 1));
    return numbers;
  }

  /**
   * Plans the change to a new definition.
   *
   * @throws DocumentException NOT_CHANGEABLE; LIMIT_EXCEEDED if too many changes are still in
   *     progress
   */
  static Planned plan(
      CollectionMetadata metadata, CollectionDefinition definition, long nowMillis) {
    CollectionDefinition.checkReplaceable(metadata.definition(), definition);
    return new DefinitionChange(metadata, definition, nowMillis).plan();
  }

  private Planned plan() {
    Map<String, Integer> numbers = new LinkedHashMap<>();
    int next = old.nextNumber();
    for (String name : IndexLayout.names(definition)) {
      Integer known = old.numbers().get(name);
      numbers.put(name, known == null ? next++ : known);
    }
    int numbered = next;
    IndexLayout layout = IndexLayout.of(definition, name -> numbers.getOrDefault(name, 0));
    boolean wasNone = oldLayout.isNone();
    int entriesNumber = old.entriesNumber();
    boolean giveUp = layout.isNone() && !wasNone;
    boolean again = !giveUp && isRebuilt();
    if (giveUp || again) {
      drops.removeIf(drop -> drop.space() == Space.NUMBER);
      drops.add(new Drop(CollectionRecord.RANGE, Space.ENTRIES, entriesNumber++, now, null));
      bases = List.of();
    }
    if (again) {
      bases = List.of(old.definition().withDefaultTtl(null).withIndexingPolicy(NONE));
      start(CollectionRecord.RANGE, 0);
      indexes(layout).forEach(this::start);
    } else if (!layout.isNone()) {
      drainPending();
      range(layout);
      numbered(layout);
    }
    int expiriesNumber = expiries();
    CollectionRecord record =
        new CollectionRecord(
            old.id(),
            definition,
            old.policyVersion() + 1,
            numbers,
            numbered,
            entriesNumber,
            expiriesNumber,
            old.longIds(),
            bases,
            builds,
            drops);
    return new Planned(record, started);
  }

  private void start(String index, int number) {
    builds.add(new Build(index, number, now, null));
    started.add(index);
  }

  /** Keeps a build in progress; a failed build starts again. */
  private void keep(Build build) {
    if (build.error() == null) {
      builds.add(build);
    } else {
      start(build.index(), build.number());
    }
  }

  /**
   * Returns true if the range indexes are built from scratch. As in Azure Cosmos DB, a lazy index
   * does not survive a change of the time to live.
   */
  private boolean isRebuilt() {
    return isLazy(old.definition())
        && isLazy(definition)
        && !Objects.equals(old.definition().defaultTtl(), definition.defaultTtl());
  }

  private static boolean isLazy(CollectionDefinition definition) {
    return definition.indexingPolicy().indexingMode() == IndexingMode.LAZY;
  }

  /**
   * Plans the drain of pending indexing first, because pending items follow the former definition.
   */
  private void drainPending() {
    if (isLazy(old.definition()) || old.build(CollectionRecord.PENDING) != null) {
      start(CollectionRecord.PENDING, 0);
    }
  }

  private void range(IndexLayout layout) {
    Build open = old.build(CollectionRecord.RANGE);
    if (!RangeDelta.between(oldLayout, layout).isEmpty()) {
      Set<CollectionDefinition> all = new LinkedHashSet<>(bases);
      all.add(old.definition());
      if (all.size() > MAX_BASES) {
        throw new DocumentException(
            DocumentErrorCode.LIMIT_EXCEEDED,
            "changes that are still going on: "
                + bases.size()
                + " (expected: fewer; wait until they are complete)");
      }
      bases = List.copyOf(all);
      start(CollectionRecord.RANGE, 0);
    } else if (open != null) {
      keep(open);
    }
  }

  /** Plans composite and tuple indexes, and the indexes of extensions. */
  private void numbered(IndexLayout layout) {
    Map<String, Integer> before = new LinkedHashMap<>();
    if (!oldLayout.isNone()) {
      before.putAll(indexes(oldLayout));
    }
    Map<String, Integer> after = indexes(layout);
    after.forEach(
        (index, number) -> {
          Build open = old.build(index);
          if (!before.containsKey(index)) {
            start(index, number);
          } else if (open != null) {
            keep(open);
          }
        });
    before.forEach(
        (index, number) -> {
          if (!after.containsKey(index)) {
            drops.add(new Drop(index, Space.NUMBER, number, now, old.nameOf(number)));
          }
        });
  }

  private static Map<String, Integer> indexes(IndexLayout layout) {
    Map<String, Integer> indexes = new LinkedHashMap<>();
    for (CompositeIndex index : layout.composites()) {
      indexes.put(IndexAvailability.composite(index.number()), index.number());
    }
    for (TupleIndex index : layout.tuples()) {
      indexes.put(IndexAvailability.tuple(index.number()), index.number());
    }
    for (StoredTermIndex index : layout.terms()) {
      indexes.put(IndexAvailability.terms(index), index.number());
    }
    for (StoredVectorIndex index : layout.vectors()) {
      indexes.put(IndexAvailability.vector(index.number()), index.number());
    }
    return indexes;
  }

  private int expiries() {
    boolean was = old.definition().defaultTtl() != null;
    boolean is = definition.defaultTtl() != null;
    Build open = old.build(CollectionRecord.TTL);
    if (is && !was) {
      start(CollectionRecord.TTL, 0);
    } else if (is && open != null) {
      keep(open);
    } else if (was && !is) {
      drops.add(new Drop(CollectionRecord.TTL, Space.EXPIRIES, old.expiriesNumber(), now, null));
      return old.expiriesNumber() + 1;
    }
    return old.expiriesNumber();
  }
}
