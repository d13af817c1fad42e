package io.kvreactive.web.internal.ops;

import io.kvreactive.KvStats;
import io.kvreactive.web.internal.ServerContext;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Lifecycle;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Checks whether the server can work. Stores are checked at most once a second, regardless of the
 * number of probes, because probes need no token.
 */
final class Readiness {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration MUCH_AHEAD = Duration.ofMinutes(1);
  private static final String NO_ANSWER = "NO_ANSWER";

  /**
   * The result of a check.
   *
   * @param status ready, starting, draining or failed
   * @param failures the codes of failures, by the name of the database
   * @param warnings the conditions that concern the operator but do not stop the server
   */
  record Health(String status, Map<String, String> failures, Set<String> warnings) {
    static Health of(String status) {
      return new Health(status, Map.of(), Set.of());
    }

    boolean isReady() {
      return status.equals("ready");
    }

    /** Returns the result as one line. */
    String text() {
      return failures.isEmpty() ? status : status + " " + new TreeSet<>(failures.values());
    }
  }

  private final ServerContext serverContext;
  private final Mono<Health> health;

  /**
   * The result of the check of a database.
   *
   * @param failure the code of its failure, or null
   * @param warning a condition that concerns the operator, or null
   */
  private record Found(String database, @Nullable String failure, @Nullable String warning) {}

  Readiness(ServerContext serverContext) {
    this.serverContext = serverContext;
    this.health = Mono.defer(this::query).cache(FRESH);
  }

  /** Emits the result, on any thread. */
  Mono<Health> check() {
    Lifecycle.State state = serverContext.lifecycle().state();
    return switch (state) {
      case STARTING -> Mono.just(Health.of(state.name().toLowerCase(Locale.ROOT)));
      case LEAVING, DRAINING -> Mono.just(Health.of("draining"));
      case READY -> health;
    };
  }

  private Mono<Health> query() {
    return Flux.fromIterable(serverContext.databases().opened())
        .flatMap(Readiness::look)
        .collectList()
        .map(
            all -> {
              Map<String, String> failures = new TreeMap<>();
              Set<String> warnings = new TreeSet<>();
              for (Found found : all) {
                if (found.failure != null) {
                  failures.put(found.database, found.failure);
                }
                if (found.warning != null) {
                  warnings.add(found.warning);
                }
              }
              return new Health(failures.isEmpty() ? "ready" : "failed", failures, warnings);
            });
  }

  private static Mono<Found> look(Database database) {
    return database
        .kv()
        .admin()
        .stats()
        .map(
            stats ->
                new Found(
                    database.name(),
                    stats.failure() == null ? null : stats.failure().name(),
                    warning(stats.clock())))
        .timeout(PATIENCE)
        .onErrorReturn(new Found(database.name(), NO_ANSWER, null));
  }

  /**
   * Returns the warning about a clock that is more than a minute ahead or not in step otherwise;
   * null for none. A smaller lead disappears soon.
   */
  private static @Nullable String warning(KvStats.@Nullable Clock clock) {
    if (clock == null || clock.state() == KvStats.ClockState.IN_STEP) {
      return null;
    }
    boolean isLittle =
        clock.state() == KvStats.ClockState.AHEAD && clock.ahead().compareTo(MUCH_AHEAD) < 0;
    return isLittle ? null : "CLOCK_" + clock.state();
  }
}
