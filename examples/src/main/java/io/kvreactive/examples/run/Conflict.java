package io.kvreactive.examples.run;

import io.kvreactive.KvKey;

/** Thrown if a check failed because the key has changed since it was read. */
public final class Conflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Conflict(KvKey key) {
    super("conflict, changed concurrently: " + key, null, false, false);
  }
}
