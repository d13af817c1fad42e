package io.kvreactive.documents.internal.transform;

import io.kvreactive.CommitResult;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvLimits;
import io.kvreactive.KvValue;
import io.kvreactive.documents.internal.store.CollectionMetadata;
import io.kvreactive.documents.internal.store.NeighborIndexCache;
import io.kvreactive.documents.spi.NeighborIndex;
import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.KvEngine;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangePage;
import io.kvreactive.spi.ReadRange;
import io.kvreactive.spi.StoredEntry;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The saved structure of a vector index in the store. The bytes are split into chunks, one value
 * each. The head is written last and names the current chunks, so that an interrupted save leaves
 * the former one intact. All calls block on the store.
 *
 * <p>Parts: {@code 0} is the head: the number of the save, the number of bytes and their CRC-32C.
 * {@code 1} is the owner, see {@link NeighborIndexCache#ownerKey}. {@code 2}, the number of the
 * save (8 bytes) and the number of the chunk (4 bytes) is a chunk.
 */
final class SavedNeighbors {
  /** The result of {@link #save} if it was stopped, or the index was taken over. */
  static final long NOT_SAVED = -1;

  private static final byte[] HEAD = {0};
  private static final byte CHUNK = 2;
  private static final int CHUNK_BYTES = 32 << 10;
  private static final int CHUNKS_PER_COMMIT = 32;
  private static final int KEY_BYTES = 1024; // more than the key of a chunk
  private static final int PAGE = 64;

  private final KvEngine engine;
  private final CollectionMetadata metadata;
  private final int number;
  private final byte[] owner;
  private @Nullable Check isOwner;

  SavedNeighbors(KvEngine engine, CollectionMetadata metadata, int number, byte[] owner) {
    this.engine = engine;
    this.metadata = metadata;
    this.number = number;
    this.owner = owner;
  }

  private record Head(long save, long length, int crc) {
    static final int BYTES = 2 * Long.BYTES + Integer.BYTES;

    static @Nullable Head of(List<StoredEntry> entries) {
      byte[] value = entries.isEmpty() ? new byte[0] : value(entries.get(0));
      if (value.length != BYTES) {
        return null;
      }
      ByteBuffer in = ByteBuffer.wrap(value);
      return new Head(in.getLong(), in.getLong(), in.getInt());
    }

    byte[] encode() {
      return ByteBuffer.allocate(BYTES).putLong(save).putLong(length).putInt(crc).array();
    }
  }

  private static byte[] value(StoredEntry entry) {
    return Objects.requireNonNull(entry.value()).bytes();
  }

  /**
   * Takes the index over: from now on the structures of this store of documents follow the marks.
   *
   * @return the check that the index has not been taken over by another store of documents
   */
  Check own() {
    byte[] key = NeighborIndexCache.ownerKey(metadata.keys(), number);
    Commit commit = new Commit(List.of(), List.of(set(key, owner)));
    CommitResult result = Objects.requireNonNull(engine.commit(commit).block());
    isOwner = new Check(key, result.versionstamp());
    return isOwner;
  }

  private static Mutation set(byte[] key, byte[] value) {
    return Mutation.Set.blind(key, new KvValue(KvValue.Encoding.BYTES, value));
  }

  /** Commits mutations, unless another store of documents has taken the index over. */
  private boolean commit(List<Mutation> mutations) {
    List<Check> checks = List.of(Objects.requireNonNull(isOwner, "own() comes first"));
    return Objects.requireNonNull(engine.commit(new Commit(checks, mutations)).block()).committed();
  }

  private byte[] headKey() {
    return metadata.keys().savedVectors(number, HEAD);
  }

  private byte[] chunkKey(long save, int chunk) {
    byte[] part = ByteBuffer.allocate(13).put(CHUNK).putLong(save).putInt(chunk).array();
    return metadata.keys().savedVectors(number, part);
  }

  private @Nullable Head head() {
    List<ReadRange> ranges = List.of(ReadRange.point(headKey()));
    return Head.of(NeighborIndexer.readAll(engine, ranges, null).pages().get(0).entries());
  }

  /**
   * Returns the saved structure, or null if there is none.
   *
   * @param maxBytes the maximum number of bytes
   * @throws IOException if the structure is damaged or too large
   */
  @Nullable ByteBuffer load(long maxBytes) throws IOException {
    Head head = head();
    if (head == null) {
      return null;
    }
    if (head.length() > Math.min(maxBytes, Integer.MAX_VALUE - 8)) {
      throw new IOException(head.length() + " bytes (expected: at most " + maxBytes + ")");
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) head.length());
    ReadRange chunks =
        new ReadRange(chunkKey(head.save(), 0), chunkKey(head.save() + 1, 0), PAGE, false, false);
    try (Stream<RangePage> pages = pages(chunks)) {
      for (RangePage page : (Iterable<RangePage>) pages::iterator) {
        for (StoredEntry entry : page.entries()) {
          if (value(entry).length > bytes.remaining()) {
            throw new IOException("more than " + head.length() + " bytes");
          }
          bytes.put(value(entry));
        }
      }
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 0, bytes.position());
    if (bytes.hasRemaining() || (int) crc.getValue() != head.crc()) {
      throw new IOException(
          bytes.position() + " of " + head.length() + " bytes, or another checksum");
    }
    return bytes.flip();
  }

  /**
   * Saves a structure in place of the former one, unless stopped or taken over.
   *
   * @return the number of bytes, or {@link #NOT_SAVED}
   */
  long save(NeighborIndex structure, BooleanSupplier stopped) {
    Head before = head();
    Chunks chunks = new Chunks(before == null ? 1 : before.save() + 1, stopped);
    try (DataOutputStream out = new DataOutputStream(chunks)) {
      structure.save(out);
    } catch (StoppedException e) {
      return NOT_SAVED;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Head head = new Head(chunks.save, chunks.length, (int) chunks.crc.getValue());
    boolean saved = commit(List.of(set(headKey(), head.encode())));
    if (saved) {
      deleteChunks(head.save());
    }
    return saved ? head.length() : NOT_SAVED;
  }

  /** Deletes the saved structure, unless taken over. */
  void delete() {
    if (commit(List.of(new Mutation.Delete(headKey())))) {
      deleteChunks(Long.MAX_VALUE);
    }
  }

  /**
   * Deletes the chunks of all saves before a save, unless taken over. An engine that cannot delete
   * ranges deletes chunk by chunk.
   */
  private void deleteChunks(long before) {
    ReadRange chunks = new ReadRange(chunkKey(0, 0), chunkKey(before, 0), PAGE, false, true);
    try {
      var unused = commit(List.of(new Mutation.DeleteRange(chunks.start(), chunks.end())));
    } catch (KvException e) {
      if (e.code() != KvErrorCode.UNSUPPORTED) {
        throw e;
      }
      deleteEach(chunks);
    }
  }

  private void deleteEach(ReadRange chunks) {
    try (Stream<RangePage> pages = pages(chunks)) {
      for (RangePage page : (Iterable<RangePage>) pages::iterator) {
        List<Mutation> deletes = new ArrayList<>();
        page.entries().forEach(chunk -> deletes.add(new Mutation.Delete(chunk.key())));
        if (!deletes.isEmpty() && !commit(deletes)) {
          return;
        }
      }
    }
  }

  /** Returns the pages of a range, as a stream that must be closed. */
  private Stream<RangePage> pages(ReadRange range) {
    return engine.pages(range, null).toStream(1);
  }

  private static final class StoppedException extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** Writes chunks, a few with each commit. */
  private final class Chunks extends OutputStream {
    final CRC32C crc = new CRC32C();
    final long save;
    long length;
    private final BooleanSupplier stopped;
    private final byte[] open;
    private final int most; // chunks in a commit
    private final List<Mutation> waiting = new ArrayList<>();
    private int used;
    private int chunk;

    Chunks(long save, BooleanSupplier stopped) {
      this.save = save;
      this.stopped = stopped;
      KvLimits limits = engine.limits();
      this.open = new byte[Math.min(CHUNK_BYTES, limits.maxValueBytes())];
      int fitting = limits.maxCommitBytes() / (open.length + KEY_BYTES);
      this.most = Math.max(1, Math.min(CHUNKS_PER_COMMIT, fitting));
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      crc.update(bytes, offset, count);
      length += count;
      int from = offset;
      while (from < offset + count) {
        int some = Math.min(open.length - used, offset + count - from);
        System.arraycopy(bytes, from, open, used, some);
        used += some;
        from += some;
        if (used == open.length) {
          end();
        }
      }
    }

    private void end() throws IOException {
      if (stopped.getAsBoolean()) {
        throw new StoppedException();
      }
      waiting.add(set(chunkKey(save, chunk++), Arrays.copyOf(open, used)));
      used = 0;
      if (waiting.size() == most) {
        write();
      }
    }

    @Override
    public void close() throws IOException {
      if (used > 0) {
        end();
      }
      if (!waiting.isEmpty()) {
        write();
      }
    }

    private void write() throws IOException {
      if (!commit(waiting)) {
        throw new StoppedException();
      }
      waiting.clear();
    }
  }
}
