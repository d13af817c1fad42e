package io.kvreactive.server.command;

import io.kvreactive.server.Terminals;
import java.time.Duration;
import java.util.function.LongSupplier;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a command on a terminal: percent, rate and remaining time if the total is known,
 * otherwise the count, the rate and the elapsed time. Prints nothing if it is off.
 */
final class ProgressLine implements AutoCloseable {
  private static final int MILLIS = 250;
  private static final int WIDTH = 80;

  private final @Nullable ProgressBar bar;

  /**
   * Begins a progress.
   *
   * @param on true to print
   * @param task the name of the work, such as {@code import}
   * @param unit the unit of what is counted, with a space before it
   * @param unitSize the count that is one unit, such as 1 MiB
   * @param total the total; negative if it is unknown. Not called if it is off
   */
  ProgressLine(boolean on, String task, String unit, long unitSize, LongSupplier total) {
    this.bar =
        on
            ? new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(total.getAsLong())
                .setUnit(unit, unitSize)
                .showSpeed()
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(MILLIS)
                .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
                .clearDisplayOnFinish()
                .startsFrom(0, Duration.ZERO)
                .build()
            : null;
  }

  /** Shows the total, once it is known. */
  void expects(long total) {
    if (bar != null) {
      bar.maxHint(total);
    }
  }

  /** Shows that the work has come to a count. */
  void at(long count) {
    if (bar != null) {
      bar.stepTo(count);
    }
  }

  /** Shows a text beside the bar. */
  void says(String text) {
    if (bar != null) {
      bar.setExtraMessage(" " + Terminals.clean(text));
    }
  }

  /** Ends the progress and clears its line. */
  @Override
  public void close() {
    if (bar != null) {
      bar.close();
    }
  }
}
