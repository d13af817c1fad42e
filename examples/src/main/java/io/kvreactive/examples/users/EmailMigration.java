package io.kvreactive.examples.users;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import reactor.core.publisher.Mono;

/** The two steps of the migration that process all users, while users are read and changed. */
public final class EmailMigration {
  private static final int COMMITS_IN_FLIGHT = 16;

  private final Kv kv;
  private final UserKeys keys;

  public EmailMigration(Kv kv, UserKeys keys) {
    this.kv = kv;
    this.keys = keys;
  }

  /**
   * Adds a pointer to each copy and emits the number of added pointers. May be interrupted and
   * repeated.
   */
  public Mono<Long> backfill() {
    return kv.list(keys.copies(), User.class).flatMap(this::point, COMMITS_IN_FLIGHT).count();
  }

  /**
   * Adds the pointer of a copy; empty if the copy has changed since it was read. The writer that
   * changed it has written both, so the pointer exists already.
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
