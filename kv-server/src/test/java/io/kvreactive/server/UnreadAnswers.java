package io.kvreactive.server;

import io.kvreactive.web.Http2Peer;
import io.kvreactive.web.RawConnection;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.stream.RawPeer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A caller who sends a request many times and reads no answer: over HTTP/2 with windows of 0, and
 * over HTTP/1.1 and WebSockets with receive buffers of 4 KB.
 */
final class UnreadAnswers implements AutoCloseable {
  private static final int RECEIVE_BYTES = 4 << 10;

  /**
   * A request.
   *
   * @param operation the row of its route
   * @param body the body; empty for none
   */
  record Request(Operation operation, String path, String accept, String type, byte[] body) {
    static Request get(Operation operation, String path, String accept) {
      return new Request(operation, path, accept, "application/json", new byte[0]);
    }

    static Request post(Operation operation, String path, String accept, String json) {
      byte[] body = json.getBytes(StandardCharsets.UTF_8);
      return new Request(operation, path, accept, "application/json", body);
    }

    @Override
    public String toString() {
      return operation.method() + " " + path + " " + accept;
    }
  }

  private final int port;
  private final String token;
  private final String database;
  private final List<Http2Peer> peers = new ArrayList<>();
  private final List<RawConnection> connections = new ArrayList<>();
  private final List<RawPeer> sockets = new ArrayList<>();

  /**
   * Creates a caller.
   *
   * @param database the id of the database, for requests of KV Connect
   */
  UnreadAnswers(int port, String token, String database) {
    this.port = port;
    this.token = token;
    this.database = database;
  }

  /** Sends a request on HTTP/2 connections. */
  void overHttp2(int connections, int streams, Request request) throws IOException {
    for (int i = 0; i < connections; i++) {
      Http2Peer peer = new Http2Peer(port, Http2Peer.INITIAL_WINDOW_SIZE, 0);
      peers.add(peer);
      peer.acknowledge();
      for (int stream = 1; stream < 2 * streams; stream += 2) {
        boolean ends = request.body().length == 0;
        peer.request(
            stream,
            ends,
            request.operation().method(),
            request.path(),
            "authorization",
            "Bearer " + token,
            "accept",
            request.accept(),
            "content-type",
            request.type(),
            "x-denokv-version",
            "3",
            "x-denokv-database-id",
            database);
        if (!ends) {
          peer.frame(Http2Peer.DATA, Http2Peer.END_STREAM, stream, request.body());
        }
      }
      peer.flush();
    }
  }

  /** Sends a request on HTTP/1.1 connections, and reads no answer. */
  void overHttp1(int count, Request request) throws IOException {
    for (int i = 0; i < count; i++) {
      Socket socket = new Socket();
      socket.setReceiveBufferSize(RECEIVE_BYTES); // before connecting, for a small window
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      RawConnection connection = new RawConnection(socket);
      connections.add(connection);
      connection.send(
          request.operation().method() + " " + request.path() + " HTTP/1.1",
          "Host: localhost",
          "Authorization: Bearer " + token,
          "Accept: " + request.accept(),
          "Content-Type: " + request.type(),
          "X-Denokv-Version: 3",
          "X-Denokv-Database-Id: " + database,
          "Content-Length: " + request.body().length,
          "");
      connection.bytes(request.body());
    }
  }

  /**
   * Sends messages on WebSockets with receive buffers of 4 KB, and reads no answer. The server may
   * end some of them.
   *
   * @return the number of WebSockets to which everything was sent
   */
  int overWebSockets(int count, List<String> messages) {
    int sent = 0;
    for (int i = 0; i < count; i++) {
      try {
        RawPeer peer = new RawPeer(port, token);
        sockets.add(peer);
        for (String message : messages) {
          peer.say(message);
        }
        sent++;
      } catch (IOException ended) {
        // those that hold the most are ended
      }
    }
    return sent;
  }

  @Override
  public void close() throws IOException {
    peers.forEach(Http2Peer::close);
    for (RawConnection connection : connections) {
      connection.close();
    }
    for (RawPeer socket : sockets) {
      socket.close();
    }
  }
}
