package io.kvreactive.internal.store.verify;

import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.image.PageCheck;
import java.io.IOException;

/** Compares the pages of the image with their checksums. */
final class PagesPart implements Part {
  private static final int STEP = 256;

  private final PageCheck check;
  private final Findings findings;
  private long next;

  PagesPart(PageCheck check, Findings findings) {
    this.check = check;
    this.findings = findings;
  }

  @Override
  public boolean step(long until) throws IOException {
    long pages = check.pages();
    do {
      long end = Math.min(pages, next + STEP);
      check.range(next, end, bad -> report(bad, findings));
      findings.pages += end - next;
      next = end;
    } while (next < pages && !Part.isOver(until));
    return next < pages;
  }

  static void report(PageCheck.BadPage bad, Findings findings) {
    findings.add(
        Kind.PAGE,
        bad.file(),
        bad.offset(),
        "checksum %08x".formatted(bad.actual()),
        "%08x".formatted(bad.expected()));
  }
}
