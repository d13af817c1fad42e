package io.kvreactive.internal.engine.queue;

import io.kvreactive.internal.store.QueueKeys;
import io.kvreactive.internal.store.ReadyMessage;
import io.kvreactive.internal.store.Store;
import io.kvreactive.internal.store.StoreSnapshot;
import io.kvreactive.internal.store.ViewCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The head of a queue's index of ready messages, in memory. Reading the index continues where it
 * ended, never at the start, where the consumed messages were. Confined to the store thread.
 */
final class ReadyWindow {
  private final QueueKeys keys;
  private final int size;
  private final TreeSet<ReadyMessage> messages = new TreeSet<>(ReadyMessage.ORDER);

  /** Messages taken by a commit that is not published yet, so that the index still has them. */
  private final Set<ReadyMessage> taken = new HashSet<>();

  /** The last message up to which the index has been read; null before the first read. */
  private @Nullable ReadyMessage readThrough;

  private boolean readToEnd;

  /**
   * Creates an empty window.
   *
   * @param size the number of messages read at a time; at most twice as many are kept
   */
  ReadyWindow(QueueKeys keys, int size) {
    this.keys = keys;
    this.size = size;
  }

  /** Adds a message that a commit has put into the index. */
  void added(ReadyMessage message) {
    if (covers(message)) {
      messages.add(message);
      cutOff();
    }
  }

  private boolean covers(ReadyMessage message) {
    return readToEnd
        || readThrough != null && ReadyMessage.ORDER.compare(message, readThrough) <= 0;
  }

  /** Removes messages at the end, which can be read again. */
  private void cutOff() {
    if (messages.size() > 2 * size) {
      while (messages.size() > size) {
        messages.pollLast();
      }
      readThrough = messages.last();
      readToEnd = false;
    }
  }

  /**
   * Takes the first ready messages.
   *
   * @param most the maximum bytes of payload; one message is taken in any case
   */
  List<ReadyMessage> take(Store store, int max, long now, long most) {
    List<ReadyMessage> batch = new ArrayList<>();
    long bytes = 0;
    while (batch.size() < max) {
      ReadyMessage first = first(store);
      if (first == null || first.readyAt() > now) {
        break;
      }
      bytes += first.size();
      if (!batch.isEmpty() && bytes > most) {
        break;
      }
      messages.remove(first);
      batch.add(first);
    }
    taken.addAll(batch);
    return batch;
  }

  /** Removes taken messages for good, after their commit was published. */
  void gone(List<ReadyMessage> batch) {
    batch.forEach(taken::remove);
  }

  /** Returns taken messages to the window, after their commit failed. */
  void putBack(List<ReadyMessage> batch) {
    batch.forEach(taken::remove);
    batch.forEach(this::added);
  }

  /** Returns the time at which the first message is ready, or Long.MAX_VALUE if there is none. */
  long nextAt(Store store) {
    ReadyMessage first = first(store);
    return first == null ? Long.MAX_VALUE : first.readyAt();
  }

  private @Nullable ReadyMessage first(Store store) {
    while (messages.isEmpty() && !readToEnd) {
      read(store);
    }
    return messages.isEmpty() ? null : messages.first();
  }

  /** Reads published messages. Staged ones are passed to {@link #added} when they are published. */
  private void read(Store store) {
    byte[] start = startOfRest();
    try (StoreSnapshot snapshot = store.snapshot()) {
      ViewCursor cursor = snapshot.enter().range(start, keys.readyEnd(), false);
      int left = size;
      while (left > 0 && cursor.next()) {
        ReadyMessage message = ReadyMessage.of(cursor.key(), cursor.value());
        if (!taken.contains(message)) {
          messages.add(message);
        }
        readThrough = message;
        left--;
      }
      readToEnd = left > 0;
      snapshot.leave();
    }
  }

  /** Returns the key at which the unread part of the index starts. */
  byte[] startOfRest() {
    ReadyMessage through = readThrough;
    if (through == null) {
      return keys.ready();
    }
    byte[] last = keys.ready(through.readyAt(), through.id());
    return Arrays.copyOf(last, last.length + 1);
  }

  /** Returns the key before which there are no ready messages. */
  byte[] start() {
    if (messages.isEmpty()) {
      return startOfRest();
    }
    ReadyMessage first = messages.first();
    return keys.ready(first.readyAt(), first.id());
  }
}
