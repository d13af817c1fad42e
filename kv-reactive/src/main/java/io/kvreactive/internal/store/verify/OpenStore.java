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

/** What there is to check of a store that goes on working. */
final class OpenStore implements LogPart.Source, Closeable {
  private final Store store;
  private final CommitLog log;
  private final long oldest;
  private final AutoCloseable pin;
  private boolean again;

  private OpenStore(Store store, CommitLog log) {
    this.store = store;
    this.log = log;
    long from = log.oldest();
    AutoCloseable held = null;
    while (held == null) {
      try {
        held = log.pin(from + 1);
      } catch (KvException e) { // just dropped; the next is the oldest now
        if (e.code() != KvErrorCode.COMPACTED) {
          throw e;
        }
        from = log.oldest();
      }
    }
    this.oldest = from;
    this.pin = held;
  }

  static Verification verification(Store store) {
    SortedImage image = store.image();
    Findings findings = new Findings(image.file());
    List<Part> parts = new ArrayList<>();
    PageCheck pages = image.pageCheck();
    if (pages != null) {
      parts.add(new PagesPart(pages, findings));
    }
    CommitLog log = store.log();
    Agreement agreement = null;
    Closeable resources = () -> {};
    if (log != null) {
      OpenStore source = new OpenStore(store, log); // before it is asked where the image ends
      resources = source;
      agreement = new Agreement(image, image.version(), findings);
      parts.add(new LogPart(source, agreement, image.version(), findings));
    }
    findings.newest = store.horizon();
    RecordsPart records = new RecordsPart(image, store::horizon, agreement, findings);
    parts.add(records);
    parts.add(new ExpiryPart(image, findings));
    Closeable pinned = resources;
    return new Verification(
        findings,
        parts,
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
    again = true; // by now everything is there that may explain what was seen before
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
