package io.kvreactive.internal.store.file;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What is opened on one thread and closed on another, perhaps before it is open: whoever closes
 * this need not have been given it. Thread-safe.
 */
public final class CloseableHolder<T extends Closeable> implements Closeable {
  private @Nullable T resource;
  private boolean closed;

  /** Opens it; already closed again when this was closed before or meanwhile. Once. */
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

  /** Closes what is open, and what will be as soon as it is. Idempotent. */
  @Override
  public void close() throws IOException {
    T taken = take();
    if (taken != null) {
      taken.close();
    }
  }
}
