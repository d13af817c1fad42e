package io.kvreactive.web.internal.auth;

/** A right of a token; none includes another. */
public enum AccessRight {
  /** Permits reads, lists, watches and feeds. */
  READ,
  /** Permits commits and messages. */
  WRITE,
  /** Permits backups, compaction, tokens and statistics of the server. */
  ADMIN,
  /** Permits the metrics of the server, and nothing else. */
  METRICS
}
