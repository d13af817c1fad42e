package io.kvreactive.web.internal.auth;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Whether a token allows a commit. */
public final class CommitScope {
  private static final byte STRING = 0x02;

  private CommitScope() {}

  /**
   * Passes when the token reaches all keys: those that are checked, to read, since the outcome
   * tells of them; those that are written, also a versionstamped one, wherever it may come to lie,
   * and those of messages that cannot be delivered, to write. Those of collections are written as
   * keys with ADMIN access only.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public static void require(Grant grant, Commit commit) {
    if (commit.checks().isEmpty()) {
      grant.require(Access.WRITE);
    }
    for (Check check : commit.checks()) {
      grant.requireKey(Access.READ, check.key());
    }
    for (Mutation mutation : commit.mutations()) {
      if (mutation instanceof Mutation.SetSuffixed) {
        byte[] start = with(mutation.key(), STRING);
        grant.requireRange(Access.WRITE, start, with(mutation.key(), (byte) (STRING + 1)));
        CollectionKeys.requireWritable(grant, mutation.key()); // no versionstamp is their root
      } else if (mutation instanceof Mutation.DeleteRange range) {
        grant.requireRange(Access.WRITE, range.key(), range.end());
        CollectionKeys.requireWritable(grant, range.key(), range.end());
      } else {
        requireWrite(grant, mutation.key());
      }
    }
    for (Enqueue enqueue : commit.enqueues()) {
      grant.requireWhole(Access.WRITE); // a queue lies below no prefix
      enqueue.keysIfUndelivered().forEach(key -> requireWrite(grant, key));
    }
  }

  private static void requireWrite(Grant grant, byte[] key) {
    grant.requireKey(Access.WRITE, key);
    CollectionKeys.requireWritable(grant, key);
  }

  /**
   * The id of a commit. Ids are of the whole store; that of a token which reaches a part of it is
   * made one of that token, lest it take the ids of others. A token that may only read takes none:
   * an id is written, and what it may commit writes nothing that could happen twice.
   *
   * @return null for none
   */
  public static @Nullable String id(Grant grant, String asked) {
    if (!grant.access().contains(Access.WRITE)) {
      return null;
    }
    return grant.prefixes().isEmpty() ? asked : grant.name() + "/" + asked;
  }

  private static byte[] with(byte[] key, byte last) {
    byte[] longer = Arrays.copyOf(key, key.length + 1);
    longer[key.length] = last;
    return longer;
  }
}
