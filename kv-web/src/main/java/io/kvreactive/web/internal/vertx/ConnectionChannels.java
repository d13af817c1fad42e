package io.kvreactive.web.internal.vertx;

import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * The access to the Netty channel of a connection, for which Vert.x has no public API. The channel
 * is needed to close connections that send no request, to control the times of flushes and
 * acknowledgements, and to close WebSockets without a closing handshake.
 */
public final class ConnectionChannels {
  private ConnectionChannels() {}

  /**
   * Returns the channel of a connection.
   *
   * @throws IllegalStateException if the connection is of an unexpected class of Vert.x
   */
  public static Channel of(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      return base.channel();
    }
    throw new IllegalStateException(
        "unexpected connection class of Vert.x: " + connection.getClass());
  }
}
