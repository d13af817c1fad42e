package io.kvreactive.internal.store.verify;

import io.kvreactive.KvKey;
import io.kvreactive.VerifyReport;
import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.VerifyReport.Problem;
import io.kvreactive.Versionstamp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the findings of a verification. */
final class VerifyReportBuilder {
  private static final int MAX_PROBLEMS = 1000;

  private final @Nullable Path image;
  private final List<Problem> problems = new ArrayList<>();
  private final List<Problem> notes = new ArrayList<>();
  private long problemCount;

  boolean done;
  long expected; // pages and records
  long segments;
  long frames;
  long commits;
  long pages;
  long keys;
  long expiringKeys;
  long firstCommit;
  long newest;

  /**
   * Creates an empty report.
   *
   * @param image the file of problems of keys, or null
   */
  VerifyReportBuilder(@Nullable Path image) {
    this.image = image;
  }

  void add(Problem problem) {
    switch (problem.kind()) {
      case TORN_TAIL, INTERRUPTED_CHECKPOINT, NOT_CHECKED -> {
        if (notes.size() < MAX_PROBLEMS) {
          notes.add(problem);
        }
      }
      default -> {
        problemCount++;
        if (problems.size() < MAX_PROBLEMS) {
          problems.add(problem);
        }
      }
    }
  }

  void add(Kind kind, @Nullable Path file, long offset, String what, String expected) {
    add(new Problem(kind, file, offset, null, what, expected));
  }

  /** Adds a problem of the image as a whole. */
  void image(Kind kind, String what, String expected) {
    add(kind, image, -1, what, expected);
  }

  /** Adds a problem of a record in the image. */
  void key(Kind kind, byte[] key, String what, String expected) {
    add(new Problem(kind, image, -1, KvKey.fromEncoded(key), what, expected));
  }

  VerifyReport report() {
    return new VerifyReport(
        done,
        Math.max(1, Math.max(expected, pages + keys)),
        segments,
        frames,
        commits,
        pages,
        keys,
        expiringKeys,
        firstCommit == 0 ? null : Versionstamp.of(firstCommit),
        Versionstamp.of(newest),
        problemCount,
        problems,
        notes);
  }
}
