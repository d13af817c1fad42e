package io.kvreactive.web.internal.vertx;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerImpl;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.VertxWrapper;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.impl.NetServerImpl;
import io.vertx.core.net.impl.NetServerInternal;
import io.vertx.core.spi.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Creates HTTP servers that pass each accepted socket to a handler first. Vert.x has no public API
 * for this: it reports a socket after its TLS handshake, and without TLS after its first request.
 * The server is therefore given a transport that adds the handler to the server's own channel.
 */
public final class LimitedServer extends VertxWrapper {
  private final ChannelHandler acceptor;

  private LimitedServer(VertxInternal vertx, ChannelHandler acceptor) {
    super(vertx);
    this.acceptor = acceptor;
  }

  /**
   * Creates a server, as {@link Vertx#createHttpServer(HttpServerOptions)} does.
   *
   * @param acceptor the handler of accepted sockets
   */
  public static HttpServer create(Vertx vertx, HttpServerOptions options, ChannelHandler acceptor) {
    return new LimitedServer((VertxInternal) vertx, acceptor).createHttpServer(options);
  }

  @Override
  public HttpServer createHttpServer(HttpServerOptions options) {
    return new HttpServerImpl(this, options);
  }

  @Override
  public NetServerInternal createNetServer(NetServerOptions options) {
    return new NetServerImpl(this, options.copy());
  }

  @Override
  public Transport transport() {
    Transport transport = super.transport();
    return (Transport)
        Proxy.newProxyInstance(
            LimitedServer.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(transport, arguments);
                if (arguments != null
                    && arguments[arguments.length - 1] instanceof ServerBootstrap server) {
                  server.handler(acceptor);
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
