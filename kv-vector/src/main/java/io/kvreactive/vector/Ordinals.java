package io.kvreactive.vector;

import io.github.jbellis.jvector.disk.RandomAccessReader;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The ordinals of vectors, from 0 on, with the id and the stamp of each. One thread writes; any
 * thread may read the id of an ordinal.
 */
final class Ordinals {
  static final int NONE = -1;

  /** Memory of an ordinal in bytes: id, stamp, and its map entry. */
  static final int BYTES = 56;

  private static final int FIRST_CAPACITY = 1024;

  private final Long2LongHashMap byId = new Long2LongHashMap(NONE);
  private final IntArrayList free = new IntArrayList();
  private volatile long[] ids = new long[FIRST_CAPACITY]; // by ordinal; 0 for none
  private long[] stamps = new long[FIRST_CAPACITY];
  private volatile int limit;

  /** Returns the ordinal for the next id. */
  int next() {
    return free.isEmpty() ? limit : free.getInt(free.size() - 1);
  }

  /** Assigns the next ordinal to an id without an ordinal. Searches may find the id from now on. */
  void give(long id, long stamp) {
    int ordinal = next();
    if (!free.isEmpty()) {
      free.removeAt(free.size() - 1);
    }
    if (ordinal == ids.length) {
      stamps = Arrays.copyOf(stamps, 2 * ordinal);
      ids = Arrays.copyOf(ids, 2 * ordinal);
    }
    stamps[ordinal] = stamp;
    ids[ordinal] = id;
    byId.put(id, ordinal);
    limit = Math.max(limit, ordinal + 1);
  }

  /**
   * Removes the ordinal of an id, without making it reusable yet. Returns the ordinal, or {@link
   * #NONE} if the id has none.
   */
  int take(long id) {
    int ordinal = (int) byId.remove(id);
    if (ordinal != NONE) {
      ids[ordinal] = 0;
    }
    return ordinal;
  }

  /** Makes an ordinal reusable. */
  void free(int ordinal) {
    free.addInt(ordinal);
  }

  /** Returns the ordinal of an id, or {@link #NONE}. */
  int of(long id) {
    return (int) byId.get(id);
  }

  @Nullable Long stamp(long id) {
    int ordinal = of(id);
    return ordinal == NONE ? null : stamps[ordinal];
  }

  LongStream ids() {
    return Arrays.stream(ids, 0, limit).filter(id -> id != 0);
  }

  /** Returns the id of an ordinal, or 0 if it has none. */
  long id(int ordinal) {
    return ids[ordinal];
  }

  /** Returns the number of ordinals assigned so far, including the removed ones. */
  int limit() {
    return limit;
  }

  /** Returns the number of ids. */
  int size() {
    return byId.size();
  }

  void save(DataOutput out) throws IOException {
    out.writeInt(limit);
    for (int ordinal = 0; ordinal < limit; ordinal++) {
      out.writeLong(ids[ordinal]);
      out.writeLong(stamps[ordinal]);
    }
  }

  void load(RandomAccessReader in) throws IOException {
    int count = in.readInt();
    if (count < 0 || (long) count * 2 * Long.BYTES > in.length() - in.getPosition()) {
      throw new IOException(count + " ordinals");
    }
    ids = new long[Math.max(FIRST_CAPACITY, count)];
    stamps = new long[ids.length];
    for (int ordinal = 0; ordinal < count; ordinal++) {
      long id = in.readLong();
      ids[ordinal] = id;
      stamps[ordinal] = in.readLong();
      if (id == 0) {
        free(ordinal);
      } else {
        byId.put(id, ordinal);
      }
    }
    limit = count;
  }
}
