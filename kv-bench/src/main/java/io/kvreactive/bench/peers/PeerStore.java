package io.kvreactive.bench.peers;

/** The stores that are compared. */
enum PeerStore {
  OURS("kv-reactive"),
  ROCKSDB("RocksDB JNI"),
  LMDB("LMDB"),
  MVSTORE("MVStore"),
  XODUS("Xodus"),
  SQLITE("SQLite"),
  DENO("Deno KV");

  final String title;

  PeerStore(String title) {
    this.title = title;
  }
}
