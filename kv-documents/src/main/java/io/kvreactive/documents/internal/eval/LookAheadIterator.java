package io.kvreactive.documents.internal.eval;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** An iterator whose subclasses only compute the next element, or null at the end. */
abstract class LookAheadIterator<T> implements Iterator<T> {
  private @Nullable T next;
  private boolean ended;

  abstract @Nullable T advance();

  @Override
  public boolean hasNext() {
    if (next == null && !ended) {
      next = advance();
      ended = next == null;
    }
    return next != null;
  }

  @Override
  public T next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException();
    }
    T result = next;
    next = null;
    return result;
  }
}
