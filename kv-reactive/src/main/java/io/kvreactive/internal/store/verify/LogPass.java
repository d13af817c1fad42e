package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.log.CommitRecord;
import io.kvreactive.internal.store.log.LogCheck;
import io.kvreactive.spi.StoredChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the whole log, and compares its commits with the image. */
final class LogPass implements VerificationPass, LogCheck.Visitor {
  private final Source source;
  private final @Nullable LogTreeComparator comparator;
  private final long imageVersion;
  private final VerifyReportBuilder report;
  private final Set<Path> files = new HashSet<>();
  private @Nullable LogCheck scan;
  private boolean checked; // start and end of the log were compared with the image

  /** The source of the log. */
  interface Source {
    /**
     * Starts reading, or continues with what has been written meanwhile.
     *
     * @param since the version up to which the log has been read; -1 at the start
     * @return null if there is no more
     */
    @Nullable LogCheck scan(long since, LogCheck.Visitor visitor) throws IOException;
  }

  /**
   * Creates a pass.
   *
   * @param comparator the comparator, or null if the image cannot be read
   * @param imageVersion the version up to which the image has every commit
   */
  LogPass(
      Source source,
      @Nullable LogTreeComparator comparator,
      long imageVersion,
      VerifyReportBuilder report) {
    this.source = source;
    this.comparator = comparator;
    this.imageVersion = imageVersion;
    this.report = report;
  }

  @Override
  public boolean step(long until) throws IOException {
    LogCheck reading = scan;
    if (reading == null) {
      reading = source.scan(-1, this);
      scan = reading;
    }
    while (reading != null && reading.next()) {
      if (VerificationPass.isOver(until)) {
        return true;
      }
    }
    if (reading != null) {
      report.newest = Math.max(report.newest, reading.reached());
      if (!checked) {
        checked = true;
        checkEnds(reading);
      }
      if (comparator != null && comparator.wantsMore()) {
        scan = source.scan(reading.reached(), this);
        if (scan != null) {
          return true;
        }
      }
    }
    if (comparator != null) {
      comparator.end();
    }
    return false;
  }

  private void checkEnds(LogCheck scan) {
    if (comparator == null || scan.firstFile() == null) {
      return;
    }
    if (scan.previous() > imageVersion) {
      report.add(
          Kind.GAP,
          scan.firstFile(),
          0,
          "the log begins after version " + scan.previous(),
          "at most " + imageVersion + ", the version of the image");
    }
    if (scan.reached() < imageVersion) {
      report.add(
          Kind.GAP,
          scan.lastFile(),
          -1,
          "the log ends with version " + scan.reached(),
          "at least " + imageVersion + ", the version of the image");
    }
  }

  @Override
  public void segment(Path file) {
    report.segments += files.add(file) ? 1 : 0;
  }

  @Override
  public void frame() {
    report.frames++;
  }

  @Override
  public void commit(CommitRecord commit) {
    report.commits++;
    if (report.firstCommit == 0) {
      report.firstCommit = commit.version();
    }
    if (comparator != null) {
      for (StoredChange effect : commit.effects()) {
        comparator.effect(commit.version(), effect);
      }
    }
  }

  @Override
  public void damage(LogCheck.Damage damage) {
    Kind kind =
        switch (damage.fault()) {
          case SEGMENT -> Kind.SEGMENT;
          case FRAME -> Kind.FRAME;
          case COMMIT -> Kind.COMMIT;
          case GAP -> Kind.GAP;
          case ORDER -> Kind.ORDER;
          case TORN -> Kind.TORN_TAIL;
        };
    report.add(kind, damage.file(), damage.offset(), damage.what(), damage.expected());
    if (comparator != null && kind != Kind.TORN_TAIL) {
      comparator.skipped();
    }
  }
}
