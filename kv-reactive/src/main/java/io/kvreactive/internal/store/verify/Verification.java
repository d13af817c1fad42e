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
 * Reads all of a store, in steps: pages, log, records, index of expiry. Between two steps of an
 * open store its image may be changed. One thread; for an open store, the one that writes its
 * image.
 */
public final class Verification implements Closeable {
  private final Findings findings;
  private final Deque<Part> parts;
  private final Closeable resources;

  Verification(Findings findings, List<Part> parts, Closeable resources) {
    this.findings = findings;
    this.parts = new ArrayDeque<>(parts);
    this.resources = resources;
  }

  /**
   * Of a directory that no store has open. Only the file {@code lock} is touched.
   *
   * @throws KvException INVALID_ARGUMENT when it holds no store; LOCKED; IO_FAILED
   */
  public static Verification of(Path directory) {
    try {
      return ClosedStore.verification(directory);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Of an open store. */
  public static Verification of(Store store) {
    return OpenStore.verification(store);
  }

  private static KvException failed(IOException e) {
    return new KvException(KvErrorCode.IO_FAILED, "reading the store failed: " + e, e);
  }

  /**
   * Goes on for about that long.
   *
   * @return whether there is more to do
   * @throws KvException IO_FAILED
   */
  public boolean step(long nanos) {
    long until = System.nanoTime() + nanos;
    Part part = parts.peek();
    try {
      if (part != null && !part.step(until)) {
        parts.remove();
      }
    } catch (IOException e) {
      throw failed(e);
    }
    return !parts.isEmpty();
  }

  /** What was found so far. */
  public VerifyReport report() {
    return findings.report();
  }

  @Override
  public void close() throws IOException {
    resources.close();
  }
}
