package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.PageCheck;
import java.io.IOException;

/** Compares the pages of the image with their checksums. */
final class PagesPass implements VerificationPass {
  private static final int STEP = 256;

  private final PageCheck check;
  private final VerifyReportBuilder report;
  private long next;

  PagesPass(PageCheck check, VerifyReportBuilder report) {
    this.check = check;
    this.report = report;
  }

  @Override
  public boolean step(long until) throws IOException {
    long pages = check.pages();
    do {
      long end = Math.min(pages, next + STEP);
      check.range(next, end, bad -> report(bad, report));
      report.pages += end - next;
      next = end;
    } while (next < pages && !VerificationPass.isOver(until));
    return next < pages;
  }

  static void report(PageCheck.BadPage bad, VerifyReportBuilder report) {
    report.add(
        Kind.PAGE,
        bad.file(),
        bad.offset(),
        "checksum %08x".formatted(bad.actual()),
        "%08x".formatted(bad.expected()));
  }
}
