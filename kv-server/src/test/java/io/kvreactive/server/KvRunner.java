package io.kvreactive.server;

import io.kvreactive.web.TestServer;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Runs commands: all on a server, all on a directory, or as each says. */
@FunctionalInterface
interface KvRunner {
  KvProcess.Result with(String input, String... arguments) throws Exception;

  default KvProcess.Result run(String... arguments) throws Exception {
    return with("", arguments);
  }

  /** Returns a runner of commands on a server. */
  static KvRunner on(TestServer server) {
    return CommandHost.KV.with(environment(server));
  }

  /** Returns the environment of clients of a server. */
  static Map<String, String> environment(TestServer server) {
    return Map.of("KV_URL", server.uri("").toString(), "KV_TOKEN", TestServer.TOKEN);
  }

  /** Returns a runner of commands on the store of a directory. */
  default KvRunner in(Path directory) {
    return and("--path", directory.toString());
  }

  /** Returns a runner that adds arguments. */
  default KvRunner and(String... more) {
    return (input, arguments) ->
        with(input, Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new));
  }

  /** Returns the exit code and the output. */
  static String text(KvProcess.Result result) {
    return result.exit() + " " + result.out();
  }
}
