package io.kvreactive.bench.peers;

import io.kvreactive.KvRange;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import org.jspecify.annotations.Nullable;

/** Xodus, with durable writes of its log. */
final class XodusPeer implements Peer {
  private final Environment environment;
  private final Store entries;

  XodusPeer(Path directory) {
    environment =
        Environments.newInstance(
            directory.toFile(), new EnvironmentConfig().setLogDurableWrite(true));
    entries =
        environment.computeInTransaction(
            txn -> environment.openStore("entries", StoreConfig.WITHOUT_DUPLICATES, txn));
  }

  @Override
  public void put(List<Entry> added) {
    environment.executeInTransaction(
        txn -> {
          for (Entry entry : added) {
            entries.put(
                txn, new ArrayByteIterable(entry.key()), new ArrayByteIterable(entry.value()));
          }
        });
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    ByteIterable value =
        environment.computeInReadonlyTransaction(
            txn -> entries.get(txn, new ArrayByteIterable(key)));
    return value == null ? null : bytes(value);
  }

  private static byte[] bytes(ByteIterable bytes) {
    return Arrays.copyOf(bytes.getBytesUnsafe(), bytes.getLength());
  }

  @Override
  public int list(KvRange range) {
    ByteIterable end = new ArrayByteIterable(range.endBytes());
    return environment.computeInReadonlyTransaction(
        txn -> {
          int count = 0;
          try (Cursor cursor = entries.openCursor(txn)) {
            ByteIterable value =
                cursor.getSearchKeyRange(new ArrayByteIterable(range.startBytes()));
            while (value != null && cursor.getKey().compareTo(end) < 0) {
              PeerMeasure.required(bytes(value));
              count++;
              value = cursor.getNext() ? cursor.getValue() : null;
            }
          }
          return count;
        });
  }

  @Override
  public void close() {
    environment.close();
  }
}
