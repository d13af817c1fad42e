package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.users.EmailTaken;
import io.kvreactive.examples.users.MigrationTour;
import io.kvreactive.examples.users.User;
import io.kvreactive.examples.users.UserKeys;
import io.kvreactive.examples.users.Users;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows hand-written secondary indexes, as in the manual of Deno KV, and the migration of their
 * layout.
 */
public final class UsersExample {
  private static final UserKeys KEYS = new UserKeys(KvKey.of("users example"));
  private static final int SIGNUPS = 10;

  private final Kv kv;
  private final Users users;
  private final Screen screen;

  private UsersExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.users = new Users(kv, KEYS);
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status = new Launcher("users", Screen.standard()).run(args, UsersExample::run).block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen) {
    UsersExample example = new UsersExample(kv, screen);
    return kv.deleteRange(KEYS.everything())
        .then(example.unique())
        .then(example.race())
        .then(example.colours())
        .then(example.deletion())
        .then(new MigrationTour(kv, KEYS, screen).run());
  }

  private Mono<Void> unique() {
    User ada = User.of("Ada@example.com", "Ada", "green");
    return heading("A unique index: one user for an e-mail address")
        .then(insert(ada))
        .then(insert(User.of("ada@example.com", "Another Ada", "red")))
        .then(users.getByEmail("ADA@example.com"))
        .doOnNext(found -> screen.line("  getByEmail ADA@example.com: %s", found.name()))
        .then();
  }

  private Mono<Void> insert(User user) {
    return users
        .insert(user)
        .map(inserted -> "done")
        .onErrorResume(EmailTaken.class, taken -> Mono.just("rejected, " + taken.getMessage()))
        .doOnNext(
            outcome -> screen.line("  insert %s <%s>: %s", user.name(), user.email(), outcome))
        .then();
  }

  private Mono<Void> race() {
    return heading("The same address from many at once: one gets it")
        .thenMany(Flux.range(1, SIGNUPS))
        .map(i -> User.of("grace@example.com", "Grace " + i, "blue"))
        .flatMap(user -> users.insert(user).onErrorResume(EmailTaken.class, taken -> Mono.empty()))
        .collectList()
        .doOnNext(
            winners ->
                screen.line(
                    "  %d tried, %d inserted: %s", SIGNUPS, winners.size(), winners.get(0).name()))
        .then();
  }

  private Mono<Void> colours() {
    return heading("An index that users share: favourite colour")
        .then(insert(User.of("alan@example.com", "Alan", "green")))
        .then(insert(User.of("barbara@example.com", "Barbara", "red")))
        .then(ofColour("green"))
        .then(users.getByEmail("barbara@example.com"))
        .flatMap(barbara -> users.update(barbara.id(), user -> user.withColour("green")))
        .doOnNext(barbara -> screen.line("  update Barbara: %s now", barbara.colour()))
        .then(ofColour("green"))
        .then(ofColour("red"));
  }

  private Mono<Void> ofColour(String colour) {
    return users
        .ofColour(colour)
        .map(User::name)
        .collectList()
        .doOnNext(names -> screen.line("  ofColour %s: %s", colour, names))
        .then();
  }

  private Mono<Void> deletion() {
    return heading("Deletion by check and retry, while the user's colour changes all the time")
        .then(users.getByEmail("barbara@example.com"))
        .flatMap(barbara -> deleteWhileChanging(barbara.id()))
        .then(Mono.zip(kv.count(KEYS.users()), kv.count(KEYS.emails()), colourCount()))
        .doOnNext(
            counts ->
                screen.line(
                    "  left: %d users, %d entries by e-mail address, %d by colour",
                    counts.getT1(), counts.getT2(), counts.getT3()))
        .then();
  }

  private Mono<Void> deleteWhileChanging(String id) {
    Mono<Long> changes =
        Flux.range(0, SIGNUPS)
            .concatMap(i -> users.update(id, user -> user.withColour("shade " + i)))
            .count();
    return Mono.zip(changes, users.delete(id))
        .doOnNext(
            both ->
                screen.line(
                    "  deleted: %s, after %d of %d changes", both.getT2(), both.getT1(), SIGNUPS))
        .then();
  }

  private Mono<Long> colourCount() {
    return kv.count(KEYS.colours());
  }

  private Mono<Void> heading(String text) {
    return Mono.fromRunnable(() -> screen.line(text));
  }
}
