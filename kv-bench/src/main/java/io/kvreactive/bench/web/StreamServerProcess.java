package io.kvreactive.bench.web;

import io.kvreactive.bench.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

/** A {@link StreamServerCommand} in a child JVM. */
final class StreamServerProcess implements AutoCloseable {
  static final String TOKEN = "only-for-this-measurement";

  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final URI uri;

  StreamServerProcess(Path directory, String heap) throws IOException {
    process =
        ChildJvm.start(
            List.of("-Xmx" + heap),
            List.of("stream-server", "--dir=" + directory, "--token=" + TOKEN));
    out = process.inputReader();
    in = process.outputWriter();
    uri = URI.create(line());
  }

  int port() {
    return uri.getPort();
  }

  long pid() {
    return process.pid();
  }

  private String line() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the server has ended");
    }
    return line;
  }

  /** Sends a command without waiting for its answer. */
  void say(String command) throws IOException {
    in.write(command + "\n");
    in.flush();
  }

  /** Waits for the answer to the oldest command. */
  String answer() throws IOException {
    return line();
  }

  String request(String command) throws IOException {
    say(command);
    return answer();
  }

  long heapBytes() throws IOException {
    return Long.parseLong(request("heap").split(" ", -1)[1]);
  }

  @Override
  public void close() throws IOException {
    in.close();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
