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
 * The head of a queue's index of ready messages, in memory. The index is read on from where it was
 * read to, never again from the start: at the start lies what was consumed. Confined to the store
 * thread.
 */
final class ReadyWindow {
  private final QueueKeys keys;
  private final int size;
  private final TreeSet<ReadyMessage> messages = new TreeSet<>(ReadyMessage.ORDER);

  /** Taken by a commit that is not published yet: the index still has them. */
  private final Set<ReadyMessage> taken = new HashSet<>();

  /** Up to here the index has been read; null before the first read. */
  private @Nullable ReadyMessage readThrough;

  private boolean readToEnd;

  /**
   * @param size messages read at a time; twice as many are kept at most
   */
  ReadyWindow(QueueKeys keys, int size) {
    this.keys = keys;
    this.size = size;
  }

  /** A commit has put a message into the index. */
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

  /** Forgets the end, which can be read again. */
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
   * Takes the first messages that are due.
   *
   * @param most bytes of payload, though one message is taken in any case
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

  /** The commit that took them is published. */
  void gone(List<ReadyMessage> batch) {
    batch.forEach(taken::remove);
  }

  /** The commit that took them has failed. */
  void putBack(List<ReadyMessage> batch) {
    batch.forEach(taken::remove);
    batch.forEach(this::added);
  }

  /** When the first message is due; Long.MAX_VALUE when there is none. */
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

  /** Reads what is published: what is staged is told to {@link #added} when it is published. */
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

  /** Where the index goes on behind what was read. */
  byte[] startOfRest() {
    ReadyMessage through = readThrough;
    if (through == null) {
      return keys.ready();
    }
    byte[] last = keys.ready(through.readyAt(), through.id());
    return Arrays.copyOf(last, last.length + 1);
  }

  /** Where messages are looked for: before it there are none. */
  byte[] start() {
    if (messages.isEmpty()) {
      return startOfRest();
    }
    ReadyMessage first = messages.first();
    return keys.ready(first.readyAt(), first.id());
  }
}
