package io.kvreactive.bench;

import io.kvreactive.web.KvServer;
import io.kvreactive.web.ServerOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs a server until the standard input ends. Prints the URL of the server. */
@Command(name = "server", hidden = true)
public final class ServerCommand implements Callable<Integer> {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @Option(names = "--dir", required = true)
  private Path directory = Path.of("target");

  @Option(names = "--token", required = true)
  private String token = "";

  @Override
  public Integer call() throws IOException {
    Vertx vertx = Vertx.vertx();
    ServerOptions options =
        ServerOptions.at(directory).withAddress("127.0.0.1", 0).withToken(token);
    KvServer server =
        Objects.requireNonNull(KvServer.start(vertx, options).block(TIMEOUT), "a server");
    System.out.println(server.uri());
    while (System.in.read() >= 0) {
      // runs until the parent process closes the input
    }
    server.close().block(TIMEOUT);
    return 0;
  }
}
