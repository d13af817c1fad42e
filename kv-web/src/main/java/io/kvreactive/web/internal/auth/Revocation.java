package io.kvreactive.web.internal.auth;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Whether a token has been taken back, and who wants to know. Safe on any thread. */
public final class Revocation {
  /** Of grants that nobody takes back. */
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
   * Has somebody told, on the thread that takes the token back; at once when it is taken back
   * already.
   *
   * @param listener runs once or twice
   * @return ends it
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
      throw new IllegalStateException("this grant is never taken back");
    }
    revoked = true;
    for (Runnable listener : List.copyOf(listeners)) {
      if (listeners.remove(listener)) {
        listener.run();
      }
    }
  }
}
