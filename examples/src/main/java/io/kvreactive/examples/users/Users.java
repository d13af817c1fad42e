package io.kvreactive.examples.users;

import io.kvreactive.AtomicOperation;
import io.kvreactive.CommitResult;
import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.examples.run.Conflict;
import io.kvreactive.examples.run.Retries;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Users with a unique index by e-mail address and an index by favourite colour. A user and its
 * index entries change in one commit, which checks that the user is unchanged since it was read.
 * Otherwise, an index entry of an outdated address or colour could remain.
 */
public final class Users {
  private static final int PAGE = 100;

  private final Kv kv;
  private final UserKeys keys;

  public Users(Kv kv, UserKeys keys) {
    this.kv = kv;
    this.keys = keys;
  }

  /** Inserts a user and emits it. Error: {@link EmailTaken}. */
  public Mono<User> insert(User user) {
    return Mono.defer(
        () ->
            kv.atomic()
                .checkAbsent(keys.user(user.id()), keys.byEmail(user.email()))
                .set(keys.user(user.id()), user)
                .set(keys.byEmail(user.email()), user.id())
                .set(keys.byColour(user), user.id())
                .commit()
                .flatMap(
                    result ->
                        result.committed()
                            ? Mono.just(user)
                            : Mono.error(new EmailTaken(user.email()))));
  }

  /** Emits a user; empty if the user does not exist. */
  public Mono<User> get(String id) {
    return kv.get(keys.user(id), User.class).mapNotNull(KvEntry::value);
  }

  /**
   * Emits the user with an e-mail address; empty if none exists. Makes two reads, between which the
   * user may change or be deleted.
   */
  public Mono<User> getByEmail(String email) {
    return kv.get(keys.byEmail(email), String.class)
        .mapNotNull(KvEntry::value)
        .flatMap(this::get)
        .filter(user -> keys.byEmail(user.email()).equals(keys.byEmail(email)));
  }

  /** Emits all users with a colour, in the order of their ids. Reads page by page on demand. */
  public Flux<User> ofColour(String colour) {
    return kv.list(keys.ofColour(colour), String.class)
        .map(pointer -> keys.user(pointer.required()))
        .buffer(PAGE)
        .concatMap(page -> kv.getMany(page, User.class), 1)
        .mapNotNull(KvEntry::value)
        .filter(user -> user.colour().equals(colour));
  }

  /**
   * Changes a user and emits the result; empty if the user does not exist. The id must not change.
   * Error: {@link EmailTaken}.
   *
   * @param change the change, which may be called several times
   */
  public Mono<User> update(String id, UnaryOperator<User> change) {
    return kv.get(keys.user(id), User.class)
        .filter(KvEntry::exists)
        .flatMap(read -> replace(read, change.apply(read.required())))
        .retryWhen(Retries.onConflict());
  }

  private Mono<User> replace(KvEntry<User> read, User user) {
    User old = read.required();
    boolean moves = !keys.byEmail(old.email()).equals(keys.byEmail(user.email()));
    AtomicOperation operation = kv.atomic().check(read);
    if (moves) {
      operation.checkAbsent(keys.byEmail(user.email()));
    }
    return deleteIndexes(operation, old)
        .set(keys.user(user.id()), user)
        .set(keys.byEmail(user.email()), user.id())
        .set(keys.byColour(user), user.id())
        .commit()
        .flatMap(result -> outcome(result, read, user));
  }

  /**
   * Emits the user, or the reason why the commit failed. The first check is that of the user as
   * read, the second that of the address.
   */
  private static Mono<User> outcome(CommitResult result, KvEntry<User> read, User user) {
    if (result.committed()) {
      return Mono.just(user);
    }
    boolean changed = result.failedChecks().contains(0);
    return Mono.error(changed ? new Conflict(read.key()) : new EmailTaken(user.email()));
  }

  /** Deletes a user. Emits true if the user existed. */
  public Mono<Boolean> delete(String id) {
    return kv.get(keys.user(id), User.class)
        .filter(KvEntry::exists)
        .flatMap(this::deleteAsRead)
        .retryWhen(Retries.onConflict())
        .defaultIfEmpty(false);
  }

  private Mono<Boolean> deleteAsRead(KvEntry<User> read) {
    return deleteIndexes(kv.atomic().check(read), read.required())
        .delete(read.key())
        .commit()
        .flatMap(
            result -> result.committed() ? Mono.just(true) : Mono.error(new Conflict(read.key())));
  }

  private AtomicOperation deleteIndexes(AtomicOperation operation, User user) {
    return operation.delete(keys.byEmail(user.email())).delete(keys.byColour(user));
  }
}
