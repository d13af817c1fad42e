package io.kvreactive.connect;

/** The names and numbers that client and server of KV Connect agree on. */
public final class ConnectProtocol {
  /** The header of versions 2 and 3 that tells which of them the request is of. */
  public static final String VERSION_HEADER = "x-denokv-version";

  /** The header of versions 2 and 3 that tells the database. */
  public static final String DATABASE_HEADER = "x-denokv-database-id";

  /** The header of version 1 that tells the database. */
  public static final String DOMAIN_HEADER = "x-transaction-domain-id";

  /** Makes a commit that is sent twice happen once; only our servers heed it. */
  public static final String COMMIT_ID_HEADER = "Idempotency-Key";

  /** The version that a read saw, 20 hex digits; only our servers tell it. */
  public static final String VERSIONSTAMP_HEADER = "X-Kv-Versionstamp";

  public static final int OLDEST_VERSION = 1;
  public static final int NEWEST_VERSION = 3;

  /** The first version that has watches. */
  public static final int WATCH_VERSION = 3;

  public static final String SNAPSHOT_READ = "snapshot_read";
  public static final String ATOMIC_WRITE = "atomic_write";
  public static final String WATCH = "watch";

  public static final String JSON = "application/json";
  public static final String PROTOBUF = "application/x-protobuf";
  public static final String FRAMES = "application/octet-stream";

  /** The bytes of a frame's length in front of a watch's frame: little-endian. */
  public static final int FRAME_HEADER_BYTES = 4;

  /** The largest frame that Deno takes. */
  public static final int MAX_FRAME_BYTES = 16 << 20;

  private ConnectProtocol() {}
}
