package io.kvreactive.examples.users;

import io.kvreactive.Kv;
import io.kvreactive.examples.run.Screen;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Runs the migration and looks all users up after each step. */
public final class MigrationTour {
  private static final List<String> OLD_USERS = List.of("donald", "edsger", "frances", "john");

  private final Kv kv;
  private final UserKeys keys;
  private final EmailMigration migration;
  private final Screen screen;

  /** Creates a tour with keys of its own below {@code keys}. */
  public MigrationTour(Kv kv, UserKeys keys, Screen screen) {
    this.kv = kv;
    this.keys = new UserKeys(keys.root().append("migration"));
    this.migration = new EmailMigration(kv, this.keys);
    this.screen = screen;
  }

  public Mono<Void> run() {
    return Mono.fromRunnable(() -> screen.line("Migration from copied values to pointers"))
        .thenMany(Flux.fromIterable(OLD_USERS))
        .concatMap(name -> users(MigrationPhase.COPIES).insert(named(name)))
        .then(state("the old layout", MigrationPhase.COPIES))
        .then(insert("margaret", MigrationPhase.WRITE_BOTH))
        .then(state("switch writers to both, new user", MigrationPhase.WRITE_BOTH))
        .then(migration.backfill())
        .flatMap(copies -> state("backfill of " + copies + " pointers", MigrationPhase.WRITE_BOTH))
        .then(state("switch readers to pointers", MigrationPhase.READ_POINTERS))
        .then(insert("niklaus", MigrationPhase.POINTERS))
        .then(state("switch writers to pointers, new user", MigrationPhase.POINTERS))
        .then(migration.cleanUp())
        .then(state("clean up", MigrationPhase.POINTERS));
  }

  private MigratingUsers users(MigrationPhase phase) {
    return new MigratingUsers(kv, keys, phase);
  }

  private Mono<User> insert(String name, MigrationPhase phase) {
    return users(phase).insert(named(name));
  }

  private static User named(String name) {
    return User.of(email(name), name, "green");
  }

  private static String email(String name) {
    return name + "@example.com";
  }

  /** Looks all users up by address, in a phase, and prints the result. */
  private Mono<Void> state(String step, MigrationPhase phase) {
    Mono<Long> found =
        kv.list(keys.users(), User.class)
            .concatMap(user -> users(phase).getByEmail(user.required().email()))
            .count();
    return Mono.zip(found, kv.count(keys.users()), kv.count(keys.copies()), kv.count(keys.emails()))
        .doOnNext(
            now ->
                screen.line(
                    "  %-37s found %d of %d; %d copies, %d pointers",
                    step, now.getT1(), now.getT2(), now.getT3(), now.getT4()))
        .then();
  }
}
