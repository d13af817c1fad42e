package io.kvreactive.web.internal.ops;

import io.kvreactive.web.internal.Site;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.Lifecycle;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Whether the server can do its work. Stores are asked at most once a second, however many ask
 * here: no token is needed for that.
 */
final class Readiness {
  private static final Duration FRESH = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String NO_ANSWER = "NO_ANSWER";

  /**
   * What was found.
   *
   * @param status ready, starting, draining or failed
   * @param failures what is wrong with databases, by name
   */
  record Health(String status, Map<String, String> failures) {
    boolean isReady() {
      return status.equals("ready");
    }

    /** For people: one line. */
    String text() {
      return failures.isEmpty() ? status : status + " " + new TreeSet<>(failures.values());
    }
  }

  private final Site site;
  private final Mono<Map<String, String>> failures;

  Readiness(Site site) {
    this.site = site;
    this.failures = Mono.defer(this::ask).cache(FRESH);
  }

  /** Emits on any thread. */
  Mono<Health> check() {
    Lifecycle.State state = site.lifecycle().state();
    return switch (state) {
      case STARTING -> Mono.just(new Health(state.name().toLowerCase(Locale.ROOT), Map.of()));
      case LEAVING, DRAINING -> Mono.just(new Health("draining", Map.of()));
      case READY -> failures.map(found -> new Health(found.isEmpty() ? "ready" : "failed", found));
    };
  }

  private Mono<Map<String, String>> ask() {
    return Flux.fromIterable(site.databases().opened())
        .flatMap(database -> failure(database).map(code -> Map.entry(database.name(), code)))
        .collectMap(Map.Entry::getKey, Map.Entry::getValue, TreeMap::new);
  }

  /** Emits what is wrong with a database; empty when nothing is. */
  private static Mono<String> failure(Database database) {
    return database
        .kv()
        .stats()
        .map(stats -> Optional.ofNullable(stats.failure()).map(Enum::name))
        .timeout(PATIENCE)
        .onErrorReturn(Optional.of(NO_ANSWER))
        .flatMap(Mono::justOrEmpty);
  }
}
