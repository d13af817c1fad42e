package io.kvreactive.documents.internal.exec;

import static io.kvreactive.documents.internal.worker.WorkerThread.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.documents.internal.encoding.ValueEncoding;
import io.kvreactive.documents.internal.layout.EntryKeys;
import io.kvreactive.documents.internal.layout.EntryKeys.ValueBound;
import io.kvreactive.documents.internal.layout.KeyRange;
import io.kvreactive.documents.internal.plan.IndexRef;
import io.kvreactive.documents.internal.plan.ValueRange;
import io.kvreactive.documents.internal.plan.ValueRange.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Computes the key ranges for which an index is read. */
final class ScanRanges {
  private ScanRanges() {}

  /**
   * Returns the key ranges in key order, without overlap.
   *
   * @param ranges the value ranges; empty for all values
   */
  static List<KeyRange> of(
      IndexRef index, EntryKeys keys, List<JsonNode> equal, List<ValueRange> ranges) {
    List<KeyRange> found = new ArrayList<>();
    if (ranges.isEmpty()) {
      found.add(keys.equalTo(equal));
    }
    for (ValueRange range : ranges) {
      checkpoint();
      add(keys, equal, range, found);
    }
    if (!index.isSingle() && !(index instanceof IndexRef.Range)) {
      found.add(keys.overflow());
    }
    return merged(found);
  }

  private static void add(
      EntryKeys keys, List<JsonNode> equal, ValueRange range, List<KeyRange> found) {
    if (range instanceof ValueRange.Point point) {
      found.add(point(keys, equal, point.value()));
    } else if (range instanceof ValueRange.Between between) {
      found.add(
          keys.between(
              equal,
              bound(between.low(), between.lowInclusive()),
              bound(between.high(), between.highInclusive())));
    } else if (range instanceof ValueRange.Prefix prefix) {
      found.add(keys.startsWith(equal, prefix.text()));
    } else if (range instanceof ValueRange.Types types) {
      found.add(keys.tags(equal, tag(types.from()), endTag(types.to())));
    } else if (range instanceof ValueRange.Except except) {
      except(keys, equal, except.values(), found);
    }
  }

  private static KeyRange point(EntryKeys keys, List<JsonNode> equal, JsonNode value) {
    List<JsonNode> values = new ArrayList<>(equal);
    values.add(value);
    return keys.equalTo(values);
  }

  private static @Nullable ValueBound bound(@Nullable JsonNode value, boolean inclusive) {
    return value == null ? null : new ValueBound(value, inclusive);
  }

  private static void except(
      EntryKeys keys, List<JsonNode> equal, List<JsonNode> values, List<KeyRange> found) {
    KeyRange all = keys.tags(equal, ValueEncoding.NULL, ValueEncoding.AFTER_ALL);
    List<KeyRange> holes = new ArrayList<>();
    for (JsonNode value : values) {
      KeyRange hole = point(keys, equal, value);
      if (hole.exact()) {
        holes.add(hole);
      }
    }
    byte[] start = all.start();
    for (KeyRange hole : merged(holes)) {
      found.add(new KeyRange(start, hole.start(), all.exact()));
      start = hole.end();
    }
    found.add(new KeyRange(start, all.end(), all.exact()));
  }

  private static int tag(ValueType type) {
    return switch (type) {
      case UNDEFINED -> ValueEncoding.UNDEFINED;
      case NULL -> ValueEncoding.NULL;
      case FALSE -> ValueEncoding.FALSE;
      case TRUE -> ValueEncoding.TRUE;
      case NUMBER -> ValueEncoding.NUMBER;
      case STRING -> ValueEncoding.STRING;
      case ARRAY -> ValueEncoding.ARRAY;
      case OBJECT -> ValueEncoding.OBJECT;
    };
  }

  /** Returns the tag of the next type. */
  private static int endTag(ValueType type) {
    return switch (type) {
      case UNDEFINED -> ValueEncoding.NULL;
      case NULL -> ValueEncoding.FALSE;
      case FALSE -> ValueEncoding.TRUE;
      case TRUE -> ValueEncoding.NUMBER;
      case NUMBER -> ValueEncoding.STRING;
      case STRING -> ValueEncoding.ARRAY;
      case ARRAY -> ValueEncoding.OBJECT;
      case OBJECT -> ValueEncoding.AFTER_ALL;
    };
  }

  private static List<KeyRange> merged(List<KeyRange> ranges) {
    if (ranges.size() == 1 && !ranges.get(0).isEmpty()) {
      return ranges;
    }
    List<KeyRange> sorted = new ArrayList<>(ranges);
    sorted.removeIf(KeyRange::isEmpty);
    sorted.sort(
        (a, b) -> {
          checkpoint();
          return Arrays.compareUnsigned(a.start(), b.start());
        });
    List<KeyRange> merged = new ArrayList<>(sorted.size());
    for (KeyRange range : sorted) {
      checkpoint();
      KeyRange last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
      if (last == null || Arrays.compareUnsigned(last.end(), range.start()) < 0) {
        merged.add(range);
      } else {
        byte[] end =
            Arrays.compareUnsigned(last.end(), range.end()) >= 0 ? last.end() : range.end();
        merged.set(
            merged.size() - 1, new KeyRange(last.start(), end, last.exact() && range.exact()));
      }
    }
    return merged;
  }
}
