package io.kvreactive.examples.run;

import io.kvreactive.KvKey;

/** A check failed: somebody else changed the key since it was read. */
public final class Conflict extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public Conflict(KvKey key) {
    super("changed by somebody else: " + key, null, false, false);
  }
}
