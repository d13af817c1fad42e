package io.kvreactive.internal.store.verify;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.VerifyReport;
import io.kvreactive.internal.store.Store;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Verifies a store in steps: pages, log, records, index of expiry. Between two steps the image of
 * an open store may be changed. Not thread-safe; for an open store, confined to the image thread.
 */
public final class Verification implements Closeable {
  private final VerifyReportBuilder report;
  private final Deque<VerificationPass> passes;
  private final Closeable resources;

  Verification(VerifyReportBuilder report, List<VerificationPass> passes, Closeable resources) {
    this.report = report;
    this.passes = new ArrayDeque<>(passes);
    this.resources = resources;
  }

  /**
   * Returns the verification of a directory that no store has open. Changes only the file {@code
   * lock}.
   *
   * @throws KvException INVALID_ARGUMENT if the directory holds no store; LOCKED; IO_FAILED
   */
  public static Verification of(Path directory) {
    try {
      return ClosedStoreVerification.verification(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Returns the verification of an open store.
   *
   * @throws KvException IO_FAILED
   */
  public static Verification of(Store store) {
    try {
      return OpenStoreVerification.verification(store);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private static KvException failed(IOException e) {
    return new KvException(KvErrorCode.IO_FAILED, "reading the store failed: " + e, e);
  }

  /**
   * Continues for about the given time.
   *
   * @return true if there is more to do
   * @throws KvException IO_FAILED
   */
  public boolean step(long nanos) {
    long until = System.nanoTime() + nanos;
    VerificationPass part = passes.peek();
    try {
      if (part != null && !part.step(until)) {
        passes.remove();
      }
    } catch (IOException e) {
      throw failed(e);
    }
    report.done = passes.isEmpty();
    return !report.done;
  }

  /** Returns the findings so far. */
  public VerifyReport report() {
    return report.report();
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
