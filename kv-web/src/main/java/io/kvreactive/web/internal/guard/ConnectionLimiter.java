package io.kvreactive.web.internal.guard;

import com.sun.management.UnixOperatingSystemMXBean;
import io.kvreactive.KvException;
import io.kvreactive.web.ConnectionOptions;
import io.kvreactive.web.internal.auth.RefusalLog;
import io.kvreactive.web.internal.http.ByteBudget;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.http.HttpServerOptions;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the sockets of a server: their number, in total and per address, and the memory that they
 * hold.
 *
 * <p>A socket is counted when it is accepted, before its TLS handshake and its first request. If
 * the memory of all sockets exceeds its limit, the socket that holds the most is closed. Thus
 * callers who hold little are not rejected because of one who holds much. Thread-safe.
 */
public final class ConnectionLimiter {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimiter.class);

  /**
   * The divisor of the free file descriptors that gives the part reserved for stores, up to {@link
   * #MAX_KEPT_DESCRIPTORS}.
   */
  private static final int STORES_SHARE_OF_DESCRIPTORS = 2;

  private static final long MAX_KEPT_DESCRIPTORS = 1024;

  /** The divisor of the heap that gives the memory that all sockets together may hold. */
  static final int MEMORY_SHARE_OF_HEAP = 8;

  private static final int MAX_EVICTIONS = 16; // per request

  private final ConnectionOptions options;
  private final RefusalLog refusals;
  private final ByteBudget memory;
  private final int max;
  private final AtomicInteger all = new AtomicInteger();
  private final Map<String, Integer> byAddress = new ConcurrentHashMap<>();
  private final Set<SocketGuard> sockets = ConcurrentHashMap.newKeySet();

  /** Creates the limiter of a server. File descriptors and heap are those of this process. */
  public ConnectionLimiter(ConnectionOptions options, RefusalLog refusals) {
    this(
        options,
        refusals,
        new ByteBudget("connections", Runtime.getRuntime().maxMemory() / MEMORY_SHARE_OF_HEAP),
        freeDescriptors());
  }

  /**
   * Creates a limiter.
   *
   * @param memory the budget of the memory of all sockets
   * @param descriptors the number of file descriptors that the process can still open
   */
  ConnectionLimiter(
      ConnectionOptions options, RefusalLog refusals, ByteBudget memory, long descriptors) {
    this.options = options;
    this.refusals = refusals;
    this.memory = memory;
    this.max = (int) Math.min(options.max(), socketsOf(descriptors));
    if (max < options.max()) {
      LOG.warn(
          "the maximum number of connections is {} instead of {}: the process can open {} more"
              + " files and sockets",
          max,
          options.max(),
          descriptors);
    }
  }

  /**
   * Returns the maximum number of sockets if {@code descriptors} file descriptors are free and some
   * of them are reserved for stores.
   */
  static long socketsOf(long descriptors) {
    long kept = Math.min(descriptors / STORES_SHARE_OF_DESCRIPTORS, MAX_KEPT_DESCRIPTORS);
    return Math.max(1, descriptors - kept);
  }

  private static long freeDescriptors() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
        : Integer.MAX_VALUE;
  }

  ConnectionOptions options() {
    return options;
  }

  RefusalLog refusals() {
    return refusals;
  }

  /**
   * Returns a handler for the server's own channel. The handler passes on the sockets within the
   * limits and closes the others.
   *
   * @param options the options of the server that accepts the sockets
   */
  public ChannelHandler acceptor(HttpServerOptions options) {
    return new Acceptor(options);
  }

  @ChannelHandler.Sharable // several verticles listen on one port
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    private final HttpServerOptions options;

    Acceptor(HttpServerOptions options) {
      this.options = options;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      Channel socket = (Channel) accepted;
      String address =
          socket.remoteAddress() instanceof InetSocketAddress from && from.getAddress() != null
              ? ClientAddresses.caller(from.getAddress().getHostAddress())
              : ClientAddresses.caller((String) null); // closed already
      if (!enter(address)) {
        socket.unsafe().closeForcibly();
        return;
      }
      SocketGuard guard =
          new SocketGuard(ConnectionLimiter.this, memory.share(), socket, address, options);
      sockets.add(guard);
      if (!guard.admit()) {
        leave(guard);
        socket.unsafe().closeForcibly();
        return;
      }
      socket.closeFuture().addListener(closed -> leave(guard));
      socket.pipeline().addFirst(guard);
      context.fireChannelRead(socket);
    }
  }

  private boolean enter(String address) {
    if (all.incrementAndGet() > max) {
      all.decrementAndGet();
      return refused(address, "connections: more than " + max);
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
      return refused(address, "connections of the address: more than " + options.maxPerAddress());
    }
    return true;
  }

  private boolean refused(String address, String reason) {
    refusals.refused("connection.refused").with("address", address).with("reason", reason).log();
    return false;
  }

  private void leave(SocketGuard guard) {
    sockets.remove(guard);
    guard.release();
    all.decrementAndGet();
    byAddress.computeIfPresent(
        guard.address(), (same, count) -> count == 1 ? null : Integer.valueOf(count - 1));
  }

  /**
   * Takes memory for a socket. If the budget is spent, closes sockets that hold more than this one.
   *
   * @return false if this socket holds the most, or no memory became free
   */
  boolean take(SocketGuard guard, ByteBudget.Share share, long bytes) {
    for (int evicted = 0; evicted < MAX_EVICTIONS; evicted++) {
      try {
        share.take(bytes);
        return true;
      } catch (KvException spent) {
        SocketGuard most = largest(guard.charged() + bytes);
        if (most == null || most == guard) {
          return refused(guard.address(), "connections hold too much memory: " + spent.detail());
        }
        refused(most.address(), "holds more memory than any other connection: " + most.charged());
        most.close();
      }
    }
    return false;
  }

  private @Nullable SocketGuard largest(long atLeast) {
    SocketGuard most = null;
    long bytes = atLeast;
    for (SocketGuard socket : sockets) {
      long charged = socket.charged();
      if (charged > bytes) {
        most = socket;
        bytes = charged;
      }
    }
    return most;
  }

  int count() {
    return all.get();
  }
}
