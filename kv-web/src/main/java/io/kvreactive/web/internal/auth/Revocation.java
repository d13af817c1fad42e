package io.kvreactive.web.internal.auth;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The revocation of a token and its listeners. Thread-safe. */
public final class Revocation {
  /** The revocation of a grant that cannot be revoked. */
  public static final Revocation NEVER = new Revocation(false);

  private final boolean possible;
  private final Set<Runnable> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean revoked;

  public Revocation() {
    this(true);
  }

  private Revocation(boolean possible) {
    this.possible = possible;
  }

  public boolean revoked() {
    return revoked;
  }

  /**
   * Registers a listener. The listener runs on the revoking thread, or immediately if the token is
   * revoked already.
   *
   * @param listener the listener, which may run twice if the revocation is concurrent
   * @return the deregistration
   */
  Runnable onRevoked(Runnable listener) {
    if (!possible) {
      return () -> {};
    }
    listeners.add(listener);
    if (revoked && listeners.remove(listener)) {
      listener.run();
    }
    return () -> listeners.remove(listener);
  }

  void revoke() {
    if (!possible) {
      throw new IllegalStateException("this grant cannot be revoked");
    }
    revoked = true;
    for (Runnable listener : List.copyOf(listeners)) {
      if (listeners.remove(listener)) {
        listener.run();
      }
    }
  }
}
