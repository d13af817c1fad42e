package io.kvreactive.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A server in a child JVM. */
public final class ChildServer implements AutoCloseable {
  public static final String TOKEN = "only-for-this-measurement";

  private final Process process;
  private final String url;

  /** Starts a server on a directory and waits until it listens. */
  public ChildServer(Path directory, String heap) throws IOException {
    this(heap, List.of("server", "--dir=" + directory, "--token=" + TOKEN));
  }

  /**
   * Starts a server and waits until it listens.
   *
   * @param command the command, which prints the URL of its server and ends with its standard input
   */
  public ChildServer(String heap, List<String> command) throws IOException {
    this(heap, System.getProperty("java.class.path"), command);
  }

  /**
   * Starts a server and waits until it listens.
   *
   * @param classPath the class path with this program and the server, which may be another version
   * @param command the command, which prints the URL of its server and ends with its standard input
   */
  public ChildServer(String heap, String classPath, List<String> command) throws IOException {
    process = ChildJvm.start(List.of("-Xmx" + heap), classPath, command);
    BufferedReader out = process.inputReader();
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the server ended before it listened");
    }
    url = line;
  }

  public String url() {
    return url;
  }

  public long pid() {
    return process.pid();
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
