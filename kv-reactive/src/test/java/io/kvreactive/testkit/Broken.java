package io.kvreactive.testkit;

/** A bean that cannot be encoded. */
public final class Broken {
  public String getName() {
    throw new IllegalStateException("broken on purpose");
  }
}
