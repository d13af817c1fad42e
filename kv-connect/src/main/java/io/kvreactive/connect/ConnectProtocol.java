package io.kvreactive.connect;

/** The names and numbers of the KV Connect protocol, shared by client and server. */
public final class ConnectProtocol {
  /** The header of versions 2 and 3 that has the protocol version of the request. */
  public static final String VERSION_HEADER = "x-denokv-version";

  /** The header of versions 2 and 3 that has the database id. */
  public static final String DATABASE_HEADER = "x-denokv-database-id";

  /** The header of version 1 that has the database id. */
  public static final String DOMAIN_HEADER = "x-transaction-domain-id";

  /**
   * The header by which a commit that is sent twice takes effect once; only servers of this project
   * support it.
   */
  public static final String COMMIT_ID_HEADER = "Idempotency-Key";

  /**
   * The header that has the version of a read, 20 hex digits; only servers of this project send it.
   */
  public static final String VERSIONSTAMP_HEADER = "X-Kv-Versionstamp";

  public static final int OLDEST_VERSION = 1;
  public static final int NEWEST_VERSION = 3;

  /** The first protocol version with watches. */
  public static final int WATCH_VERSION = 3;

  public static final String SNAPSHOT_READ = "snapshot_read";
  public static final String ATOMIC_WRITE = "atomic_write";
  public static final String WATCH = "watch";

  public static final String JSON = "application/json";
  public static final String PROTOBUF = "application/x-protobuf";
  public static final String FRAMES = "application/octet-stream";

  /** The size of the length in front of a watch's frame, little-endian, in bytes. */
  public static final int FRAME_HEADER_BYTES = 4;

  /** Maximum size of a frame that Deno accepts. */
  public static final int MAX_FRAME_BYTES = 16 << 20;

  private ConnectProtocol() {}
}
