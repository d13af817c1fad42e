package io.kvreactive.bench.peers;

import static org.lmdbjava.ByteArrayProxy.PROXY_BA;

import io.kvreactive.KvRange;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.GetOp;
import org.lmdbjava.Txn;

/** LMDB by lmdbjava, with its default: a sync of the file at each commit. */
final class LmdbPeer implements Peer {
  private static final long MAX_BYTES = 8L << 30;

  private final Env<byte[]> env;
  private final Dbi<byte[]> entries;

  LmdbPeer(Path directory) {
    env = Env.create(PROXY_BA).setMapSize(MAX_BYTES).setMaxDbs(1).open(directory.toFile());
    entries = env.openDbi("entries", DbiFlags.MDB_CREATE);
  }

  @Override
  public void put(List<Entry> added) {
    try (Txn<byte[]> txn = env.txnWrite()) {
      for (Entry entry : added) {
        entries.put(txn, entry.key(), entry.value());
      }
      txn.commit();
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try (Txn<byte[]> txn = env.txnRead()) {
      return entries.get(txn, key);
    }
  }

  @Override
  public int list(KvRange range) {
    byte[] end = range.endBytes();
    int count = 0;
    try (Txn<byte[]> txn = env.txnRead();
        Cursor<byte[]> cursor = entries.openCursor(txn)) {
      boolean more = cursor.get(range.startBytes(), GetOp.MDB_SET_RANGE);
      while (more && Arrays.compareUnsigned(cursor.key(), end) < 0) {
        PeerMeasure.required(cursor.val());
        count++;
        more = cursor.next();
      }
    }
    return count;
  }

  @Override
  public void close() {
    env.close();
  }
}
