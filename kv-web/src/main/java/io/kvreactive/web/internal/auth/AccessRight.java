package io.kvreactive.web.internal.auth;

/** What a token may be allowed to do; none includes another. */
public enum AccessRight {
  /** Reads, lists, watches and feeds. */
  READ,
  /** Commits and messages. */
  WRITE,
  /** Backups, compaction, tokens, statistics of the server. */
  ADMIN
}
