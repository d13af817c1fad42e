package io.kvreactive.internal.store.verify;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport.Kind;
import io.kvreactive.internal.store.ClockSetting;
import io.kvreactive.internal.store.StoreIdentity;
import io.kvreactive.internal.store.file.DirectoryLock;
import io.kvreactive.internal.store.file.OverlayDisk;
import io.kvreactive.internal.store.image.PageCheck;
import io.kvreactive.internal.store.image.SortedImage;
import io.kvreactive.internal.store.log.LogCheck;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Plans the verification of a closed store: the state that opening it would see, without changing
 * it.
 */
final class ClosedStoreVerification implements Closeable {
  private final Path directory;
  private final DirectoryLock lock;
  private final OverlayDisk disk = new OverlayDisk();
  private final List<VerificationPass> passes = new ArrayList<>();
  private final VerifyReportBuilder report;
  private final @Nullable SortedImage image;
  private @Nullable RecordsPass records;

  private ClosedStoreVerification(Path directory, DirectoryLock lock) throws IOException {
    this.directory = directory;
    this.lock = lock;
    SortedImage opened = null;
    KvException refused = null;
    try {
      opened = SortedImage.open(disk, directory);
    } catch (KvException e) {
      refused = e;
    }
    this.image = opened;
    this.report = new VerifyReportBuilder(opened == null ? null : opened.file());
    if (refused != null) {
      report.add(Kind.IMAGE, directory, -1, refused.detail(), "an image that can be opened");
    }
  }

  static Verification verification(Path directory) throws IOException {
    Path identity = StoreIdentity.file(directory);
    if (identity == null && !LogCheck.isLog(directory)) {
      throw new KvException(
          KvErrorCode.INVALID_ARGUMENT,
          "directory: " + directory + " (expected: the directory of a store)");
    }
    DirectoryLock lock = DirectoryLock.acquire(directory);
    Closeable opened = lock;
    try {
      ClosedStoreVerification store = new ClosedStoreVerification(directory, lock);
      opened = store;
      store.plan(identity);
      return new Verification(store.report, store.passes, store);
    } catch (IOException | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private void plan(@Nullable Path identity) throws IOException {
    for (Path changed : disk.changed()) {
      report.add(
          Kind.INTERRUPTED_CHECKPOINT,
          changed,
          -1,
          "is completed when the store is opened",
          "no interrupted checkpoint");
    }
    if (image == null) {
      checkPagesOnly();
    } else {
      PageCheck pages = image.pageCheck();
      if (pages != null) {
        passes.add(new PagesPass(pages, report));
        report.expected += pages.pages();
      }
    }
    checkClock();
    UUID id = id(identity);
    LogTreeComparator comparator =
        image == null || id == null ? null : new LogTreeComparator(image, image.version(), report);
    if (id != null) {
      LogPass.Source log =
          (since, visitor) -> since < 0 ? LogCheck.of(directory, id, visitor) : null;
      passes.add(new LogPass(log, comparator, image == null ? 0 : image.version(), report));
    }
    if (image != null) {
      report.newest = image.version();
      records =
          new RecordsPass(
              image, id == null ? () -> Long.MAX_VALUE : () -> report.newest, comparator, report);
      passes.add(records);
      report.expected += image.keys();
      passes.add(new ExpiryPass(image, report));
    }
  }

  private void checkClock() throws IOException {
    try {
      var unused = ClockSetting.read(directory);
    } catch (KvException e) {
      report.add(Kind.CLOCK, directory, -1, e.detail(), "a setting of the clock");
    }
  }

  private @Nullable UUID id(@Nullable Path identity) throws IOException {
    if (identity == null) {
      report.add(Kind.IDENTITY, directory, -1, "no identity file", "the file store");
    } else {
      try {
        return StoreIdentity.read(identity);
      } catch (KvException e) {
        report.add(Kind.IDENTITY, identity, -1, e.detail(), "the identity of a store");
      }
    }
    report.add(
        Kind.NOT_CHECKED, directory, -1, "the log", "the store's id, which its checksums include");
    return null;
  }

  private void checkPagesOnly() {
    passes.add(
        until -> {
          try {
            PageCheck.all(disk, directory, bad -> PagesPass.report(bad, report));
          } catch (KvException e) {
            report.add(Kind.NOT_CHECKED, directory, -1, "pages: " + e.detail(), "checksums");
          }
          return false;
        });
  }

  @Override
  public void close() throws IOException {
    try (lock;
        image) {
      if (records != null) {
        records.close();
      }
    }
  }
}
