package io.kvreactive.examples.run;

import java.time.Duration;
import java.util.Locale;

/** How far a long job is: shown ten times a second on a terminal, once a second elsewhere. */
public final class Progress {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Screen screen;
  private final String verb;
  private final long total;
  private final long interval;
  private final long started = System.nanoTime();
  private long shown = started;
  private long done;

  /**
   * Starts the clock.
   *
   * @param verb what is being done, such as "loading"
   */
  public Progress(Screen screen, String verb, long total) {
    this.screen = screen;
    this.verb = verb;
    this.total = total;
    this.interval = Duration.ofMillis(screen.terminal() ? 100 : 1000).toNanos();
  }

  /** Counts more as done. Not for several threads at once; a Flux's signals come one by one. */
  public void add(long more) {
    done += more;
    long now = System.nanoTime();
    if (now - shown >= interval) {
      shown = now;
      screen.status(
          String.format(
              Locale.ROOT,
              "%s %,d of %,d (%d %%), %,.0f/s",
              verb,
              done,
              total,
              total == 0 ? 100 : 100 * done / total,
              rate()));
    }
  }

  public long done() {
    return done;
  }

  public double seconds() {
    return (System.nanoTime() - started) / NANOS_PER_SECOND;
  }

  public double rate() {
    return done / seconds();
  }
}
