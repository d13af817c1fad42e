package io.kvreactive.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.spi.LeaseToken;
import io.kvreactive.spi.LeasedMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of queues: a list of messages. */
final class QueueModel {
  enum Where {
    READY,
    LEASED,
    ACKED,
    DEAD
  }

  static final class Message {
    final int number;
    final String queue;
    final List<Long> backoff;
    final boolean hasKey;
    Where where = Where.READY;
    long readyAt;
    int attempt = 1;
    long deadline;
    @Nullable LeaseToken token;
    @Nullable LeaseToken ackedBy;

    Message(int number, String queue, List<Long> backoff, boolean hasKey, long readyAt) {
      this.number = number;
      this.queue = queue;
      this.backoff = backoff;
      this.hasKey = hasKey;
      this.readyAt = readyAt;
    }

    private boolean isDue(long now) {
      return where == Where.READY && readyAt <= now;
    }

    void retry(long now, @Nullable Long after) {
      if (attempt > backoff.size()) {
        where = Where.DEAD;
      } else {
        where = Where.READY;
        readyAt = now + (after == null ? backoff.get(attempt - 1) : after);
        attempt++;
      }
    }
  }

  final Map<Integer, Message> messages = new LinkedHashMap<>();

  List<Message> due(String queue, long now) {
    return messages.values().stream().filter(m -> m.queue.equals(queue) && m.isDue(now)).toList();
  }

  long depth(String queue) {
    return messages.values().stream()
        .filter(m -> m.queue.equals(queue))
        .filter(m -> m.where == Where.READY || m.where == Where.LEASED)
        .count();
  }

  /** Asserts that a batch holds the messages due for longest, with the right attempt. */
  void delivered(List<LeasedMessage> batch, String queue, int max, long now, long leaseMillis) {
    List<Message> due = new ArrayList<>(due(queue, now));
    assertThat(batch).hasSize(Math.min(max, due.size()));
    long latest = 0;
    for (LeasedMessage leased : batch) {
      Message message = messages.get((int) leased.payload().bytes()[0] & 0xFF);
      assertThat(due).as("due in %s", queue).contains(message);
      due.remove(message);
      assertThat(leased.attempt()).isEqualTo(message.attempt);
      assertThat(leased.lastAttempt()).isEqualTo(message.attempt > message.backoff.size());
      assertThat(message.readyAt).as("in order").isGreaterThanOrEqualTo(latest);
      latest = message.readyAt;
      message.where = Where.LEASED;
      message.token = leased.token();
      message.deadline = now + leaseMillis;
    }
    for (Message left : due) {
      assertThat(left.readyAt).as("left").isGreaterThanOrEqualTo(latest);
    }
  }

  /** Ends leases that were not extended. */
  void pass(long now) {
    for (Message message : messages.values()) {
      if (message.where == Where.LEASED && message.deadline <= now) {
        message.retry(now, null);
      }
    }
  }

  void reopened(boolean crash, long now) {
    for (Message message : messages.values()) {
      message.ackedBy = null;
      if (message.where == Where.LEASED) {
        if (crash) {
          message.retry(now, null);
        } else {
          message.where = Where.READY;
        }
      }
    }
  }

  /** Returns the message that a token leases; null if the lease is lost. */
  @Nullable Message leasedBy(LeaseToken token) {
    return messages.values().stream()
        .filter(m -> m.where == Where.LEASED && token.equals(m.token))
        .findFirst()
        .orElse(null);
  }

  boolean ackedBy(LeaseToken token) {
    return messages.values().stream().anyMatch(m -> token.equals(m.ackedBy));
  }
}
