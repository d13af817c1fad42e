package io.kvreactive.web.internal.guard;

import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.internal.auth.Refusals;
import io.vertx.core.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How many connections a server has, in all and of each address. Safe on any thread. */
public final class Connections {
  private final ConnectionOptions options;
  private final Refusals refusals;
  private final AtomicInteger all = new AtomicInteger();
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();

  public Connections(ConnectionOptions options, Refusals refusals) {
    this.options = options;
    this.refusals = refusals;
  }

  ConnectionOptions options() {
    return options;
  }

  Refusals refusals() {
    return refusals;
  }

  /** Counts a connection, unless there are too many. */
  boolean enter(@Nullable SocketAddress from) {
    String address = Addresses.caller(from);
    if (all.incrementAndGet() > options.max()) {
      all.decrementAndGet();
      return refused(address, "all", options.max());
    }
    boolean[] entered = {false};
    byAddress.compute(
        address,
        (same, count) -> {
          int before = count == null ? 0 : count;
          entered[0] = before < options.maxPerAddress();
          return entered[0] ? Integer.valueOf(before + 1) : count;
        });
    if (!entered[0]) {
      all.decrementAndGet();
      return refused(address, "of its address", options.maxPerAddress());
    }
    return true;
  }

  private boolean refused(String address, String which, int max) {
    refusals
        .refused("connection.refused")
        .with("address", address)
        .with("reason", "more connections " + which + " than " + max)
        .log();
    return false;
  }

  /** Takes back what {@link #enter} counted. */
  void leave(@Nullable SocketAddress from) {
    all.decrementAndGet();
    byAddress.computeIfPresent(
        Addresses.caller(from), (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
  }

  int count() {
    return all.get();
  }
}
