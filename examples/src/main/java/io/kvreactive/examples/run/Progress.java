package io.kvreactive.examples.run;

import java.time.Duration;
import java.util.Locale;

/**
 * The progress of a long job, shown ten times a second on a terminal and otherwise once a second.
 */
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
   * @param verb the activity, such as "loading"
   * @param total the number of all steps
   */
  public Progress(Screen screen, String verb, long total) {
    this.screen = screen;
    this.verb = verb;
    this.total = total;
    this.interval = Duration.ofMillis(screen.terminal() ? 100 : 1000).toNanos();
  }

  /** Adds completed steps. Not thread-safe; the signals of a Flux are sequential. */
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
