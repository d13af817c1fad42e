package io.kvreactive.web.internal.auth;

import io.kvreactive.spi.Check;
import io.kvreactive.spi.Commit;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.Mutation;
import io.kvreactive.spi.RangeCheck;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Authorizes commits part by part, by the rows of {@link Operation} for parts of commits. */
public final class CommitScope {
  private static final byte STRING = 0x02;

  private CommitScope() {}

  /**
   * Checks that a token allows all parts of a commit. A set of a versionstamped key is authorized
   * for all versionstamps that may follow its key.
   *
   * @throws io.kvreactive.KvException FORBIDDEN
   */
  public static void authorize(Grant grant, Commit commit) {
    if (commit.checks().isEmpty() && commit.rangeChecks().isEmpty()) {
      Operation.EMPTY_COMMIT.authorize(grant);
    }
    for (Check check : commit.checks()) {
      Operation.CHECK.authorizeKey(grant, check.key());
    }
    for (RangeCheck check : commit.rangeChecks()) {
      Operation.CHECK.authorizeRange(grant, check.start(), check.end());
    }
    for (Mutation mutation : commit.mutations()) {
      byte[] key = mutation.key();
      switch (mutation.kind()) {
        case SET, TOUCH, DELETE, SUM, MIN, MAX -> Operation.CHANGE.authorizeKey(grant, key);
        case SET_VERSIONSTAMPED -> {
          Operation.CHANGE.authorizeKey(grant, key);
          grant.requireReach(with(key, STRING), with(key, (byte) (STRING + 1)));
        }
        case DELETE_RANGE ->
            Operation.CHANGE.authorizeRange(grant, key, ((Mutation.DeleteRange) mutation).end());
      }
    }
    for (Enqueue enqueue : commit.enqueues()) {
      Operation.SEND_MESSAGE.authorize(grant);
      enqueue.keysIfUndelivered().forEach(key -> Operation.CHANGE.authorizeKey(grant, key));
    }
  }

  /**
   * Returns the id under which a commit is stored. Ids are unique per store. The id of a token with
   * prefixes is qualified by the token's name, so that it cannot collide with ids of other tokens.
   * Without WRITE access, a commit has no id: storing the id would be a write, and such a commit
   * has no effect that could occur twice.
   *
   * @param requested the id in the request
   * @return the id, or null for none
   */
  public static @Nullable String id(Grant grant, String requested) {
    if (!grant.access().contains(AccessRight.WRITE)) {
      return null;
    }
    return grant.prefixes().isEmpty() ? requested : grant.name() + "/" + requested;
  }

  private static byte[] with(byte[] key, byte last) {
    byte[] longer = Arrays.copyOf(key, key.length + 1);
    longer[key.length] = last;
    return longer;
  }
}
