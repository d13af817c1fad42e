package io.kvreactive;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** A simple model of a store. */
final class KvModel {
  /** A stored value. */
  record Cell(Object value, Versionstamp stamp) {}

  /** A change, for the store and for the model. */
  sealed interface Change {}

  record Set(KvKey key, Object value) implements Change {}

  record SetVersionstamped(KvKey base, Object value) implements Change {}

  record Delete(KvKey key) implements Change {}

  record DeleteRange(KvRange range) implements Change {}

  record Sum(KvKey key, KvU64 by) implements Change {}

  record Min(KvKey key, KvU64 by) implements Change {}

  record Max(KvKey key, KvU64 by) implements Change {}

  /** A change of many keys under one prefix. */
  record Fill(String prefix, int keys) implements Change {}

  private NavigableMap<KvKey, Cell> cells = new TreeMap<>();

  static void add(AtomicOperation operation, Change change) {
    if (change instanceof Set c) {
      operation.set(c.key, c.value);
    } else if (change instanceof SetVersionstamped c) {
      operation.setVersionstamped(c.base, c.value);
    } else if (change instanceof Delete c) {
      operation.delete(c.key);
    } else if (change instanceof DeleteRange c) {
      operation.deleteRange(c.range);
    } else if (change instanceof Sum c) {
      operation.sum(c.key, c.by);
    } else if (change instanceof Min c) {
      operation.min(c.key, c.by);
    } else if (change instanceof Max c) {
      operation.max(c.key, c.by);
    } else if (change instanceof Fill c) {
      for (int i = 0; i < c.keys; i++) {
        operation.set(KvKey.of(c.prefix, i), i);
      }
    }
  }

  /**
   * Returns the state after changes at a stamp; empty if one of them does not match the type of the
   * stored value.
   */
  Optional<NavigableMap<KvKey, Cell>> after(List<Change> changes, Versionstamp stamp) {
    NavigableMap<KvKey, Cell> next = new TreeMap<>(cells);
    for (Change change : changes) {
      if (!apply(next, change, stamp)) {
        return Optional.empty();
      }
    }
    return Optional.of(next);
  }

  void become(NavigableMap<KvKey, Cell> next) {
    cells = next;
  }

  private static boolean apply(Map<KvKey, Cell> cells, Change change, Versionstamp stamp) {
    if (change instanceof Set c) {
      cells.put(c.key, new Cell(c.value, stamp));
    } else if (change instanceof SetVersionstamped c) {
      List<Object> parts = new ArrayList<>(c.base.parts());
      parts.add(stamp.toString());
      cells.put(KvKey.of(parts), new Cell(c.value, stamp));
    } else if (change instanceof Delete c) {
      cells.remove(c.key);
    } else if (change instanceof DeleteRange c) {
      cells.keySet().removeIf(c.range::contains);
    } else if (change instanceof Fill c) {
      for (int i = 0; i < c.keys; i++) {
        cells.put(KvKey.of(c.prefix, i), new Cell(i, stamp));
      }
    } else if (change instanceof Sum c) {
      return number(cells, c.key, c.by, stamp, (a, b) -> KvU64.wrapped(a.bits() + b.bits()));
    } else if (change instanceof Min c) {
      return number(cells, c.key, c.by, stamp, (a, b) -> a.compareTo(b) < 0 ? a : b);
    } else if (change instanceof Max c) {
      return number(cells, c.key, c.by, stamp, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }
    return true;
  }

  private static boolean number(
      Map<KvKey, Cell> cells,
      KvKey key,
      KvU64 by,
      Versionstamp stamp,
      java.util.function.BinaryOperator<KvU64> function) {
    Cell cell = cells.get(key);
    if (cell == null) {
      cells.put(key, new Cell(by, stamp));
    } else if (cell.value instanceof KvU64 number) {
      cells.put(key, new Cell(function.apply(number, by), stamp));
    } else {
      return false;
    }
    return true;
  }

  /** Returns the stamp of a key; null if the key is absent. */
  Versionstamp stamp(KvKey key) {
    Cell cell = cells.get(key);
    return cell == null ? null : cell.stamp;
  }

  Cell cell(KvKey key) {
    return cells.get(key);
  }

  List<Map.Entry<KvKey, Cell>> list(KvRange range, boolean reverse, long limit) {
    return (reverse ? cells.descendingMap() : cells)
        .entrySet().stream().filter(e -> range.contains(e.getKey())).limit(limit).toList();
  }
}
