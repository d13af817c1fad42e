package io.kvreactive.spatial;

import io.kvreactive.documents.spi.TermRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;

/**
 * The index terms of quadtree cells. The identifier of a cell is the path from the root to the
 * cell, two bits for each level, then a set bit, then zeros. The identifiers of all cells inside a
 * cell therefore form a range around its own identifier, as in S2. Identifiers are unsigned. Terms
 * are their hexadecimal digits, so that both have the same order.
 */
final class CellTerms {
  private CellTerms() {}

  /** Returns the term of a cell: 16 lower-case hexadecimal digits. */
  static String term(long cell) {
    return HexFormat.of().toHexDigits(cell);
  }

  static List<String> terms(Collection<Long> cells) {
    return cells.stream().map(CellTerms::term).toList();
  }

  /** Returns a child of a cell, by its number from 0 to 3. */
  static long child(long cell, int number) {
    long bit = Long.lowestOneBit(cell) >>> 2;
    return cell - Long.lowestOneBit(cell) + bit * (2 * number + 1);
  }

  static long parent(long cell) {
    long bit = Long.lowestOneBit(cell) << 2;
    return (cell & -bit) | bit;
  }

  /**
   * Returns sorted ranges of the terms of all cells that intersect one of the given cells: the
   * cells inside, and the cells around.
   *
   * @param cells the identifiers of the cells
   * @param rootBit the lowest set bit of the largest cells
   */
  static List<TermRange> ranges(Collection<Long> cells, long rootBit) {
    TreeSet<Span> spans = new TreeSet<>();
    for (long cell : cells) {
      long inside = Long.lowestOneBit(cell) - 1;
      spans.add(new Span(cell - inside, cell + inside));
      for (long around = cell; Long.lowestOneBit(around) != rootBit; ) {
        around = parent(around);
        spans.add(new Span(around, around));
      }
    }
    return merge(spans);
  }

  private static List<TermRange> merge(Collection<Span> spans) {
    List<TermRange> ranges = new ArrayList<>();
    Span open = null;
    for (Span span : spans) {
      if (open != null && Long.compareUnsigned(span.first, open.last + 2) <= 0) {
        // between two leaves there is at most one number: of a cell that contains both
        open = new Span(open.first, max(open.last, span.last));
      } else {
        if (open != null) {
          ranges.add(open.toRange());
        }
        open = span;
      }
    }
    if (open != null) {
      ranges.add(open.toRange());
    }
    return ranges;
  }

  private static long max(long a, long b) {
    return Long.compareUnsigned(a, b) >= 0 ? a : b;
  }

  private record Span(long first, long last) implements Comparable<Span> {
    TermRange toRange() {
      return new TermRange(term(first), term(last));
    }

    @Override
    public int compareTo(Span other) {
      int order = Long.compareUnsigned(first, other.first);
      return order != 0 ? order : Long.compareUnsigned(last, other.last);
    }
  }
}
