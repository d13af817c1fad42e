package io.kvreactive.examples.users;

import io.kvreactive.AtomicOperation;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.examples.run.Conflict;
import io.kvreactive.examples.run.Retries;
import reactor.core.publisher.Mono;

/** Users in a phase of the migration. */
public final class MigratingUsers {
  private final Kv kv;
  private final UserKeys keys;
  private final MigrationPhase phase;

  public MigratingUsers(Kv kv, UserKeys keys, MigrationPhase phase) {
    this.kv = kv;
    this.keys = keys;
    this.phase = phase;
  }

  /**
   * Inserts a user and emits it. Error: {@link EmailTaken}, if either index contains the address.
   */
  public Mono<User> insert(User user) {
    return Mono.defer(() -> insertion(user).commit())
        .flatMap(
            result ->
                result.committed() ? Mono.just(user) : Mono.error(new EmailTaken(user.email())));
  }

  private AtomicOperation insertion(User user) {
    AtomicOperation operation =
        kv.atomic()
            .checkAbsent(
                keys.user(user.id()), keys.byEmail(user.email()), keys.copyByEmail(user.email()))
            .set(keys.user(user.id()), user);
    if (phase.writesCopies) {
      operation.set(keys.copyByEmail(user.email()), user);
    }
    if (phase.writesPointers) {
      operation.set(keys.byEmail(user.email()), user.id());
    }
    return operation;
  }

  /** Emits the user with an e-mail address; empty if none exists. */
  public Mono<User> getByEmail(String email) {
    return phase.readsPointers
        ? kv.get(keys.byEmail(email), String.class)
            .mapNotNull(KvEntry::value)
            .flatMap(id -> present(kv.get(keys.user(id), User.class)))
        : present(kv.get(keys.copyByEmail(email), User.class));
  }

  private static Mono<User> present(Mono<KvEntry<User>> read) {
    return read.mapNotNull(KvEntry::value);
  }

  /** Deletes a user with the index entries of all phases. Emits true if the user existed. */
  public Mono<Boolean> delete(String id) {
    return kv.get(keys.user(id), User.class)
        .filter(KvEntry::exists)
        .flatMap(this::deleteAsRead)
        .retryWhen(Retries.onConflict())
        .defaultIfEmpty(false);
  }

  private Mono<Boolean> deleteAsRead(KvEntry<User> read) {
    String email = read.required().email();
    return kv.atomic()
        .check(read)
        .delete(read.key())
        .delete(keys.byEmail(email))
        .delete(keys.copyByEmail(email))
        .commit()
        .flatMap(
            result -> result.committed() ? Mono.just(true) : Mono.error(new Conflict(read.key())));
  }
}
