package io.kvreactive.internal.store.verify;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.image.PageCheck;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.CommitLog;
import io.kvreactive.internal.store.log.LogCheck;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plans the verification of a store that is in use. */
final class OpenStoreVerification implements LogPass.Source, Closeable {
  private final Store store;
  private final CommitLog log;
  private final long oldest;
  private final AutoCloseable pin;
  private boolean again;

  private OpenStoreVerification(Store store, CommitLog log) {
    this.store = store;
    this.log = log;
    long from = log.oldest();
    AutoCloseable held = null;
    while (held == null) {
      try {
        held = log.pin(from + 1);
      } catch (KvException e) { // just dropped: retry with the next one
        if (e.code() != KvErrorCode.COMPACTED) {
          throw e;
        }
        from = log.oldest();
      }
    }
    this.oldest = from;
    this.pin = held;
  }

  static Verification verification(Store store) throws IOException {
    SortedImage image = store.image().current();
    VerifyReportBuilder report = new VerifyReportBuilder(image.file());
    List<VerificationPass> passes = new ArrayList<>();
    PageCheck pages = image.pageCheck();
    if (pages != null) {
      passes.add(new PagesPass(pages, report));
      report.expected += pages.pages();
    }
    CommitLog log = store.log().commits();
    LogTreeComparator comparator = null;
    Closeable resources = () -> {};
    if (log != null) {
      OpenStoreVerification source =
          new OpenStoreVerification(store, log); // pins the log before the image's version is read
      resources = source;
      comparator = new LogTreeComparator(image, image.version(), report);
      passes.add(new LogPass(source, comparator, image.version(), report));
    }
    report.newest = store.horizon();
    RecordsPass records = new RecordsPass(image, store::horizon, comparator, report);
    passes.add(records);
    report.expected += image.keys();
    passes.add(new ExpiryPass(image, report));
    Closeable pinned = resources;
    return new Verification(
        report,
        passes,
        () -> {
          records.close();
          pinned.close();
        });
  }

  @Override
  public @Nullable LogCheck scan(long since, LogCheck.Visitor visitor) {
    if (since < 0) {
      return log.scan(oldest, store.horizon(), visitor);
    }
    long through = store.horizon();
    if (again || through <= since) {
      return null;
    }
    again = true; // all commits that may explain earlier findings are present by now
    return log.scan(since, through, visitor);
  }

  @Override
  public void close() throws IOException {
    try {
      pin.close();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
