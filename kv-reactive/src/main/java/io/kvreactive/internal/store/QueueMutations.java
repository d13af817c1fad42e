package io.kvreactive.internal.store;

import io.kvreactive.KvValue;
import io.kvreactive.internal.store.memtable.VersionedValue;
import io.kvreactive.spi.Enqueue;
import io.kvreactive.spi.StoredChange;
import java.nio.ByteBuffer;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The changes of queues in one commit: effects on the records of {@link QueueKeys}, and on the
 * users' keys to which undelivered messages are written.
 */
public final class QueueMutations {
  private final StoreView state;
  private final Map<byte[], StoredChange> effects;

  /**
   * Creates the changes.
   *
   * @param effects the effects of the same commit so far, to which the changes are added
   */
  QueueMutations(StoreView state, Map<byte[], StoredChange> effects) {
    this.state = state;
    this.effects = effects;
  }

  /** Adds a message. */
  void enqueue(Enqueue enqueue, MessageId id) {
    QueueKeys keys = QueueKeys.of(enqueue.queue());
    set(keys.message(id), QueuedMessage.of(enqueue, state.now()).encoded());
    long readyAt = Math.max(enqueue.deliverAt(), state.now());
    ready(keys, new ReadyMessage(readyAt, id, 1, enqueue.payload().bytes().length));
    addToDepth(keys, 1);
  }

  /** Changes the time at which a message is ready. */
  void reschedule(QueueKeys keys, ReadyMessage message, long readyAt) {
    delete(keys.ready(message.readyAt(), message.id()));
    ready(keys, new ReadyMessage(readyAt, message.id(), message.attempt(), message.size()));
  }

  /** Converts a ready message to a leased one. */
  public void lease(QueueKeys keys, ReadyMessage message) {
    delete(keys.ready(message.readyAt(), message.id()));
    set(keys.leased(message.id()), message.value());
  }

  /** Returns a leased message; its next delivery has the same number as this one. */
  public void release(QueueKeys keys, ReadyMessage message) {
    delete(keys.leased(message.id()));
    ready(keys, message);
  }

  /** Removes a leased message that was processed. */
  public void remove(QueueKeys keys, MessageId id) {
    delete(keys.leased(id));
    delete(keys.message(id));
    addToDepth(keys, -1);
  }

  /**
   * Ends a failed delivery: the message waits for the next one, or is written to its keys.
   *
   * @param attempt the number of the delivery
   * @param afterMillis the time until the next one in milliseconds, or null for the backoff of the
   *     message
   * @return the bytes of the payload, counted once for each read and write
   */
  public long retry(QueueKeys keys, MessageId id, int attempt, @Nullable Long afterMillis) {
    VersionedValue stored = state.get(keys.message(id));
    KvValue value = stored == null ? null : stored.value();
    if (value == null) {
      throw new IllegalStateException("leased message " + id + " is not stored");
    }
    QueuedMessage message = QueuedMessage.read(value);
    int size = message.payload().bytes().length;
    if (message.isLast(attempt)) {
      remove(keys, id);
      message.keysIfUndelivered().forEach(key -> set(key, message.payload()));
      return (long) size * Math.max(1, message.keysIfUndelivered().size());
    } else {
      long wait = afterMillis == null ? message.backoff().get(attempt - 1) : afterMillis;
      release(keys, new ReadyMessage(state.now() + wait, id, attempt + 1, size));
    }
    return size;
  }

  private void ready(QueueKeys keys, ReadyMessage message) {
    set(keys.ready(message.readyAt(), message.id()), message.value());
  }

  private void addToDepth(QueueKeys keys, int delta) {
    byte[] key = keys.depth();
    StoredChange earlier = effects.get(key);
    KvValue present;
    if (earlier != null) {
      present = earlier.value();
    } else {
      VersionedValue stored = state.get(key);
      present = stored == null ? null : stored.value();
    }
    long depth = (present == null ? 0 : depth(present)) + delta;
    if (depth == 0) {
      delete(key);
    } else {
      byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(depth).array();
      set(key, new KvValue(KvValue.Encoding.BYTES, bytes));
    }
  }

  /** Returns the number in a record of a queue's depth. */
  public static long depth(KvValue stored) {
    return ByteBuffer.wrap(stored.bytes()).getLong();
  }

  private void set(byte[] key, KvValue value) {
    effects.put(key, StoredChange.set(key, value, 0));
  }

  private void delete(byte[] key) {
    effects.put(key, StoredChange.delete(key));
  }
}
