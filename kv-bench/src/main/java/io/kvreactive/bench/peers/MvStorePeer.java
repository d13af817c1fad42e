package io.kvreactive.bench.peers;

import io.kvreactive.KvRange;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.WriteBuffer;
import org.h2.mvstore.type.BasicDataType;
import org.h2.mvstore.type.ByteArrayDataType;
import org.jspecify.annotations.Nullable;

/** H2's MVStore: a commit and a sync for each transaction, none in the background. */
final class MvStorePeer implements Peer {
  /** Keys in the order of their unsigned bytes. */
  private static final class Keys extends BasicDataType<byte[]> {
    @Override
    public int compare(byte[] a, byte[] b) {
      return Arrays.compareUnsigned(a, b);
    }

    @Override
    public int getMemory(byte[] key) {
      return ByteArrayDataType.INSTANCE.getMemory(key);
    }

    @Override
    public void write(WriteBuffer to, byte[] key) {
      ByteArrayDataType.INSTANCE.write(to, key);
    }

    @Override
    public byte[] read(ByteBuffer from) {
      return ByteArrayDataType.INSTANCE.read(from);
    }

    @Override
    public byte[][] createStorage(int size) {
      return new byte[size][];
    }
  }

  private final MVStore store;
  private final MVMap<byte[], byte[]> entries;

  MvStorePeer(Path directory) {
    store =
        new MVStore.Builder()
            .fileName(directory.resolve("store.mv").toString())
            .autoCommitDisabled()
            .open();
    entries =
        store.openMap(
            "entries",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(new Keys())
                .valueType(ByteArrayDataType.INSTANCE));
  }

  @Override
  public void put(List<Entry> added) {
    for (Entry entry : added) {
      entries.put(entry.key(), entry.value());
    }
    store.commit();
    store.sync();
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return entries.get(key);
  }

  @Override
  public int list(KvRange range) {
    byte[] end = range.endBytes();
    int count = 0;
    Cursor<byte[], byte[]> cursor = entries.cursor(range.startBytes());
    while (cursor.hasNext() && Arrays.compareUnsigned(cursor.next(), end) < 0) {
      PeerMeasure.required(cursor.getValue());
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    store.close();
  }
}
