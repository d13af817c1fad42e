package io.kvreactive.internal.store.memtable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The range deletions of one memtable. Immutable: the store thread replaces it, any thread reads.
 *
 * <p>A short list of layers, the newest last, each at least twice as long as the one after it. A
 * layer is a sorted array of disjoint ranges with the versions that deleted them. So finding a
 * key's newest deletion takes a binary search per layer, in total the square of a logarithm. Adding
 * a deletion takes amortised logarithmic time. Versions that no reader can request are dropped when
 * layers are merged.
 */
public final class RangeDeletions {
  /** No deletions. */
  public static final RangeDeletions NONE = new RangeDeletions(new Layer[0]);

  private final Layer[] layers;

  private RangeDeletions(Layer[] layers) {
    this.layers = layers;
  }

  /**
   * A sorted array of disjoint ranges.
   *
   * @param versions the versions of each range, newest first
   */
  private record Layer(byte[][] starts, byte[][] ends, long[][] versions) {
    int size() {
      return starts.length;
    }

    /** Returns the index of the range that contains a key; -1 if there is none. */
    int covering(byte[] key) {
      int low = 0;
      int high = starts.length - 1;
      while (low <= high) {
        int middle = low + high >>> 1;
        if (Arrays.compareUnsigned(starts[middle], key) <= 0) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return high >= 0 && Arrays.compareUnsigned(key, ends[high]) < 0 ? high : -1;
    }

    /** Returns the newest deletion of a range that is visible at a version; 0 if there is none. */
    long newest(int place, long at) {
      for (long version : versions[place]) {
        if (version <= at) {
          return version;
        }
      }
      return 0;
    }
  }

  /**
   * Returns these deletions and one more.
   *
   * @param one a non-empty range, deleted at a version not before those of the others
   * @param keepFrom the oldest version that a reader has or may get
   */
  public RangeDeletions with(RangeDeletion one, long keepFrom) {
    Layer last =
        new Layer(
            new byte[][] {one.start()}, new byte[][] {one.end()}, new long[][] {{one.version()}});
    int left = layers.length;
    while (left > 0 && layers[left - 1].size() < 2 * last.size()) {
      last = merged(layers[--left], last, keepFrom);
    }
    Layer[] more = Arrays.copyOf(layers, left + 1);
    more[left] = last;
    return new RangeDeletions(more);
  }

  /** Returns the deletions up to a version, which have at most as many ranges as these. */
  RangeDeletions upTo(long version) {
    List<Layer> kept = new ArrayList<>();
    for (Layer layer : layers) {
      Ranges ranges = new Ranges();
      for (int i = 0; i < layer.size(); i++) {
        long[] versions =
            Arrays.stream(layer.versions[i]).filter(each -> each <= version).toArray();
        if (versions.length > 0) {
          ranges.add(layer.starts[i], layer.ends[i], versions);
        }
      }
      if (!ranges.starts.isEmpty()) {
        kept.add(ranges.layer());
      }
    }
    return kept.isEmpty() ? NONE : new RangeDeletions(kept.toArray(Layer[]::new));
  }

  /** Returns the number of stored ranges, at most two for each that was added. */
  public int size() {
    int size = 0;
    for (Layer layer : layers) {
      size += layer.size();
    }
    return size;
  }

  /** Returns the version of the newest deletion of a key at a version; 0 if there is none. */
  public long newest(byte[] key, long at) {
    for (int i = layers.length - 1; i >= 0; i--) {
      int place = layers[i].covering(key);
      long newest = place < 0 ? 0 : layers[i].newest(place, at);
      if (newest != 0) {
        return newest;
      }
    }
    return 0;
  }

  /**
   * Returns the bound up to which, from a key on, everything older is deleted.
   *
   * @param at the version of the read
   * @param reverse true for the inclusive bound before the key; false for the exclusive one after
   *     it
   * @return the bound, or null if the key is not deleted
   */
  public byte @Nullable [] coverage(byte[] key, long at, boolean reverse) {
    for (int i = layers.length - 1; i >= 0; i--) {
      Layer layer = layers[i];
      int place = layer.covering(key);
      if (place >= 0 && layer.newest(place, at) != 0) {
        return reverse ? coveredFrom(layer, place, at) : coveredTo(layer, place, at);
      }
    }
    return null;
  }

  private static byte[] coveredTo(Layer layer, int from, long at) {
    int place = from;
    while (place + 1 < layer.size()
        && Arrays.equals(layer.ends[place], layer.starts[place + 1])
        && layer.newest(place + 1, at) != 0) {
      place++;
    }
    return layer.ends[place];
  }

  private static byte[] coveredFrom(Layer layer, int from, long at) {
    int place = from;
    while (place > 0
        && Arrays.equals(layer.ends[place - 1], layer.starts[place])
        && layer.newest(place - 1, at) != 0) {
      place--;
    }
    return layer.starts[place];
  }

  /** Returns the deletions without overlaps, ascending, each with its newest version. */
  public List<RangeDeletion> disjoint() {
    List<RangeDeletion> all = new ArrayList<>();
    if (layers.length > 0) {
      Layer merged = layers[layers.length - 1];
      for (int i = layers.length - 2; i >= 0; i--) {
        merged = merged(layers[i], merged, Long.MAX_VALUE);
      }
      for (int i = 0; i < merged.size(); i++) {
        all.add(new RangeDeletion(merged.starts[i], merged.ends[i], merged.versions[i][0]));
      }
    }
    return all;
  }

  // ---- merging two layers

  private static Layer merged(Layer older, Layer newer, long keepFrom) {
    Ranges out = new Ranges();
    Cursor a = new Cursor(older);
    Cursor b = new Cursor(newer);
    while (!a.atEnd() || !b.atEnd()) {
      if (b.atEnd() || !a.atEnd() && Arrays.compareUnsigned(a.end(), b.start) <= 0) {
        out.add(a.start, a.end(), a.versions());
        a.next();
      } else if (a.atEnd() || Arrays.compareUnsigned(b.end(), a.start) <= 0) {
        out.add(b.start, b.end(), b.versions());
        b.next();
      } else {
        int order = Arrays.compareUnsigned(a.start, b.start);
        if (order < 0) {
          out.add(a.start, b.start, a.versions());
          a.start = b.start;
        } else if (order > 0) {
          out.add(b.start, a.start, b.versions());
          b.start = a.start;
        } else {
          byte[] end = Arrays.compareUnsigned(a.end(), b.end()) <= 0 ? a.end() : b.end();
          out.add(a.start, end, both(a.versions(), b.versions(), keepFrom));
          a.advance(end);
          b.advance(end);
        }
      }
    }
    return out.layer();
  }

  private static long[] both(long[] older, long[] newer, long keepFrom) {
    int fromNewer = needed(newer, keepFrom);
    if (fromNewer < newer.length || newer[newer.length - 1] <= keepFrom) {
      return fromNewer == newer.length ? newer : Arrays.copyOf(newer, fromNewer);
    }
    boolean same = newer[newer.length - 1] == older[0];
    int skip = same ? 1 : 0;
    int fromOlder = Math.max(skip, needed(older, keepFrom));
    long[] both = Arrays.copyOf(newer, newer.length + fromOlder - skip);
    System.arraycopy(older, skip, both, newer.length, fromOlder - skip);
    return both;
  }

  /** Returns the number of versions that readers at {@code keepFrom} or later can request. */
  private static int needed(long[] versions, long keepFrom) {
    for (int i = 0; i < versions.length; i++) {
      if (versions[i] <= keepFrom) {
        return i + 1;
      }
    }
    return versions.length;
  }

  private static final class Cursor {
    private final Layer layer;
    private int place;
    byte[] start = {};

    Cursor(Layer layer) {
      this.layer = layer;
      open();
    }

    private void open() {
      if (!atEnd()) {
        start = layer.starts[place];
      }
    }

    boolean atEnd() {
      return place == layer.size();
    }

    byte[] end() {
      return layer.ends[place];
    }

    long[] versions() {
      return layer.versions[place];
    }

    void next() {
      place++;
      open();
    }

    /** Skips the part of the range before a bound. */
    void advance(byte[] to) {
      if (Arrays.equals(to, end())) {
        next();
      } else {
        start = to;
      }
    }
  }

  private static final class Ranges {
    final List<byte[]> starts = new ArrayList<>();
    final List<byte[]> ends = new ArrayList<>();
    final List<long[]> versions = new ArrayList<>();

    /** Appends a range, or extends the last one if it adjoins and has the same versions. */
    void add(byte[] start, byte[] end, long[] deleted) {
      int last = starts.size() - 1;
      if (last >= 0
          && Arrays.equals(ends.get(last), start)
          && Arrays.equals(versions.get(last), deleted)) {
        ends.set(last, end);
      } else {
        starts.add(start);
        ends.add(end);
        versions.add(deleted);
      }
    }

    Layer layer() {
      return new Layer(
          starts.toArray(byte[][]::new),
          ends.toArray(byte[][]::new),
          versions.toArray(long[][]::new));
    }
  }
}
