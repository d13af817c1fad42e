package io.kvreactive.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/** Ports for servers that restart on the same port. */
public final class Ports {
  private Ports() {}

  /** Returns a free port that the system does not assign to other processes. */
  public static int free() {
    int port = 20_000 + new Random().nextInt(10_000);
    while (true) {
      try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return free.getLocalPort();
      } catch (BindException e) {
        port++;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
