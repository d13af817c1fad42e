package io.kvreactive.internal.store.file;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Holds a resource that is opened on one thread and closed on another, possibly before it is open.
 * Thread-safe.
 */
public final class CloseableHolder<T extends Closeable> implements Closeable {
  private @Nullable T resource;
  private boolean closed;

  /**
   * Opens the resource and returns it; already closed if this holder was closed before or
   * meanwhile. May be called once.
   */
  public T open(Callable<T> opening) throws Exception {
    T opened = opening.call();
    if (!keep(opened)) {
      opened.close();
    }
    return opened;
  }

  private synchronized boolean keep(T opened) {
    if (!closed) {
      resource = opened;
    }
    return !closed;
  }

  private synchronized @Nullable T take() {
    closed = true;
    T taken = resource;
    resource = null;
    return taken;
  }

  /** Closes the resource, at once or as soon as it is open. Idempotent. */
  @Override
  public void close() throws IOException {
    T taken = take();
    if (taken != null) {
      taken.close();
    }
  }
}
