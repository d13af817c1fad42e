package io.kvreactive.bench.peers;

import io.kvreactive.KvRange;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** RocksDB by its JNI: a synced batch for each transaction. */
final class RocksPeer implements Peer {
  private final Options options = new Options().setCreateIfMissing(true);
  private final WriteOptions durable = new WriteOptions().setSync(true);
  private final RocksDB db;

  RocksPeer(Path directory) throws RocksDBException {
    RocksDB.loadLibrary();
    db = RocksDB.open(options, directory.toString());
  }

  @Override
  public void put(List<Entry> entries) throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (Entry entry : entries) {
        batch.put(entry.key(), entry.value());
      }
      db.write(durable, batch);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) throws RocksDBException {
    return db.get(key);
  }

  @Override
  public int list(KvRange range) {
    byte[] end = range.endBytes();
    int count = 0;
    try (RocksIterator entries = db.newIterator()) {
      for (entries.seek(range.startBytes());
          entries.isValid() && Arrays.compareUnsigned(entries.key(), end) < 0;
          entries.next()) {
        PeerMeasure.required(entries.value());
        count++;
      }
    }
    return count;
  }

  @Override
  public void close() {
    db.close();
    durable.close();
    options.close();
  }
}
