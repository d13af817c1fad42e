package io.kvreactive.examples.users;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import reactor.core.publisher.Mono;

/** The two steps of the migration that go over all users, while they are used and changed. */
public final class EmailMigration {
  private static final int COMMITS_IN_FLIGHT = 16;

  private final Kv kv;
  private final UserKeys keys;

  public EmailMigration(Kv kv, UserKeys keys) {
    this.kv = kv;
    this.keys = keys;
  }

  /** Gives each copy a pointer and emits how many. May be interrupted, and run again. */
  public Mono<Long> backfill() {
    return kv.list(keys.copies(), User.class).flatMap(this::point, COMMITS_IN_FLIGHT).count();
  }

  /**
   * Empty when the copy is no longer what was read: who changed it writes both, so the pointer has
   * been taken care of.
   */
  private Mono<User> point(KvEntry<User> copy) {
    User user = copy.required();
    return Mono.defer(
            () -> kv.atomic().check(copy).set(keys.byEmail(user.email()), user.id()).commit())
        .flatMap(result -> result.committed() ? Mono.just(user) : Mono.empty());
  }

  /** Deletes all copies in one commit. */
  public Mono<Void> cleanUp() {
    return kv.deleteRange(keys.copies()).then();
  }
}
