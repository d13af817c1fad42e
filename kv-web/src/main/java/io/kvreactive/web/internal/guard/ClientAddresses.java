package io.kvreactive.web.internal.guard;

import io.netty.util.NetUtil;
import io.vertx.core.net.SocketAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Maps IP addresses to the keys under which callers are counted. */
final class ClientAddresses {
  private static final int NETWORK_BYTES = 8; // of an IPv6 address: a customer has at least a /64

  private ClientAddresses() {}

  static String caller(@Nullable SocketAddress address) {
    return caller(address == null ? null : address.hostAddress());
  }

  /**
   * Returns the key of a caller: an IPv4 address, or the network of an IPv6 address.
   *
   * @param text the IP address; null if it is unknown
   */
  static String caller(@Nullable String text) {
    byte[] bytes = text == null ? null : NetUtil.createByteArrayFromIpAddressString(text);
    if (text == null || bytes == null) {
      return "unknown";
    }
    return bytes.length > NETWORK_BYTES ? HexFormat.of().formatHex(bytes, 0, NETWORK_BYTES) : text;
  }

  static boolean isLoopback(String host) {
    byte[] bytes = NetUtil.createByteArrayFromIpAddressString(bare(host));
    if (bytes == null) {
      return host.equals("localhost");
    }
    boolean v4 = bytes.length == 4 && bytes[0] == 127;
    return v4 || HexFormat.of().formatHex(bytes).equals("0".repeat(31) + "1");
  }

  static boolean isLoopback(@Nullable SocketAddress address) {
    String text = address == null ? null : address.hostAddress();
    return text != null && isLoopback(text);
  }

  /** Returns an IPv6 address without its brackets. */
  static String bare(String host) {
    return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
  }
}
