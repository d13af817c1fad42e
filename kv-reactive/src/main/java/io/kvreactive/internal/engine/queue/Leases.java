package io.kvreactive.internal.engine.queue;

import io.kvreactive.spi.LeaseToken;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All leases, ordered by deadline. Confined to the store thread. */
final class Leases {
  private static final int REMEMBERED_ACKS = 4096;

  private final Map<Long, Lease> leases = new HashMap<>();
  private final TreeSet<Lease> byDeadline =
      new TreeSet<>(
          Comparator.<Lease>comparingLong(lease -> lease.deadline)
              .thenComparingLong(lease -> lease.token.lease()));
  private final Map<LeaseToken, Boolean> acked =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LeaseToken, Boolean> eldest) {
          return size() > REMEMBERED_ACKS;
        }
      };

  /**
   * Starts at a random number, so that leases from before a restart are not mistaken for later
   * ones.
   */
  private long lastSerial = new SecureRandom().nextLong() >>> 1;

  long nextSerial() {
    return ++lastSerial;
  }

  void add(Lease lease, long deadline) {
    lease.deadline = deadline;
    leases.put(lease.token.lease(), lease);
    byDeadline.add(lease);
    lease.queue.leased++;
  }

  void extend(Lease lease, long deadline) {
    byDeadline.remove(lease);
    lease.deadline = deadline;
    byDeadline.add(lease);
  }

  void remove(Lease lease) {
    if (leases.remove(lease.token.lease()) != null) {
      byDeadline.remove(lease);
      lease.queue.leased--;
    }
  }

  void acked(Lease lease) {
    remove(lease);
    acked.put(lease.token, true);
  }

  /** Returns true if the lease was ended by an ack that is still remembered. */
  boolean wasAcked(LeaseToken token) {
    return acked.containsKey(token);
  }

  /** Returns the lease of a token, or null if it was lost. */
  @Nullable Lease find(LeaseToken token) {
    Lease lease = leases.get(token.lease());
    return lease != null && lease.token.equals(token) ? lease : null;
  }

  /** Returns the leases past their deadline that are not being ended, at most {@code max}. */
  List<Lease> lost(long now, int max) {
    List<Lease> lost = new ArrayList<>();
    for (Lease lease : byDeadline) {
      if (lease.deadline > now || lost.size() == max) {
        break;
      }
      if (!lease.finishing) {
        lost.add(lease);
      }
    }
    return lost;
  }

  /** Returns the first deadline, or Long.MAX_VALUE if there are no leases. */
  long nextDeadline() {
    return byDeadline.isEmpty() ? Long.MAX_VALUE : byDeadline.first().deadline;
  }

  Collection<Lease> all() {
    return List.copyOf(leases.values());
  }
}
