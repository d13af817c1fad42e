package io.kvreactive.examples;

import io.kvreactive.Kv;
import io.kvreactive.KvEntry;
import io.kvreactive.KvKey;
import io.kvreactive.KvRange;
import io.kvreactive.KvU64;
import io.kvreactive.examples.Leaderboard.Place;
import io.kvreactive.examples.run.Launcher;
import io.kvreactive.examples.run.Screen;
import io.kvreactive.examples.run.Size;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Shows a leaderboard to which many game servers write concurrently, and a view that follows it.
 */
public final class LeaderboardExample {
  private static final KvKey ROOT = KvKey.of("leaderboard example");
  private static final int SERVERS = 16;
  private static final int PLAYERS = 40;
  private static final int MAX_POINTS = 100;
  private static final Duration GLANCE = Duration.ofMillis(250);

  private final Kv kv;
  private final Leaderboard board;
  private final Screen screen;

  private LeaderboardExample(Kv kv, Screen screen) {
    this.kv = kv;
    this.board = new Leaderboard(kv, ROOT);
    this.screen = screen;
  }

  public static void main(String[] args) {
    Integer status =
        new Launcher("leaderboard", Screen.standard())
            .run(args, new Size("games", 2000), LeaderboardExample::run)
            .block();
    System.exit(status == null ? 1 : status);
  }

  /** Runs the example. First deletes the entries of an earlier run. */
  static Mono<Void> run(Kv kv, Screen screen, int games) {
    LeaderboardExample example = new LeaderboardExample(kv, screen);
    return kv.deleteRange(KvRange.prefix(ROOT))
        .then(Mono.zip(example.play(games), example.view(games)))
        .flatMap(both -> example.topTen().then(example.verify(games, both.getT1())));
  }

  /** Plays on all servers concurrently. Emits the total of the points. */
  private Mono<Long> play(int games) {
    return Flux.range(0, SERVERS)
        .flatMap(server -> server(new Random(server), (games + server) / SERVERS), SERVERS)
        .reduce(0L, Long::sum);
  }

  /** Plays games one after the other. Players with a low number play more often. */
  private Flux<Long> server(Random random, int games) {
    return Flux.range(0, games)
        .concatMap(
            game -> {
              int player = 1 + Math.min(random.nextInt(PLAYERS), random.nextInt(PLAYERS));
              int points = 1 + random.nextInt(MAX_POINTS);
              return board.finish("player " + player, points).thenReturn((long) points);
            });
  }

  /**
   * Shows the first three players several times a second until all games are played. While nothing
   * is requested from the watch, the watch skips intermediate states and continues with the newest.
   */
  private Mono<Long> view(int games) {
    return kv.watch(board.games(), KvU64.class)
        .map(LeaderboardExample::number)
        .concatMap(played -> glance(played).delayElement(GLANCE), 0)
        .takeUntil(played -> played >= games)
        .last();
  }

  private Mono<Long> glance(long played) {
    return board
        .best(3)
        .map(top -> top.stream().map(Place::toString).collect(Collectors.joining(", ")))
        .doOnNext(top -> screen.status("%,6d games: %s".formatted(played, top)))
        .thenReturn(played);
  }

  private Mono<Void> topTen() {
    return board
        .best(10)
        .flatMapIterable(top -> top)
        .index((index, place) -> "%2d. %s".formatted(index + 1, place))
        .doOnNext(screen::line)
        .then();
  }

  /**
   * Compares the total of the servers with the scores, the ranking and the sum. All must be equal.
   */
  private Mono<Void> verify(int games, long given) {
    Mono<Long> scored =
        kv.list(board.scores(), KvU64.class).map(LeaderboardExample::number).reduce(0L, Long::sum);
    Mono<Long> ranked =
        kv.list(board.ranking()).map(Leaderboard::place).map(Place::points).reduce(0L, Long::sum);
    Mono<Long> summed = kv.get(board.points(), KvU64.class).map(LeaderboardExample::number);
    return Flux.concat(scored, ranked, summed)
        .collectList()
        .doOnNext(
            sums ->
                screen.line(
                    "%,d games with %,d points; scores, ranking and sum are %,d, %,d, %,d: %s",
                    games,
                    given,
                    sums.get(0),
                    sums.get(1),
                    sums.get(2),
                    sums.equals(List.of(given, given, given)) ? "equal" : "NOT EQUAL"))
        .then();
  }

  private static long number(KvEntry<KvU64> counter) {
    KvU64 value = counter.value();
    return value == null ? 0 : value.longValueExact();
  }
}
