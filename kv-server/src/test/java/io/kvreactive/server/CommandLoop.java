package io.kvreactive.server;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The process of a {@link CommandHost}: runs commands, one after the other. A line of a connection
 * is the name of a folder with the files {@code arguments}, {@code environment} and {@code input};
 * the answer is the exit code, and the folder then has the files {@code output} and {@code errors}
 * too. The process ends with the connection of the test. Uses no other class of the tests.
 */
final class CommandLoop {
  private final Path output;
  private final Path errors;
  private final Map<String, String> environment = environment();

  /**
   * Creates a loop.
   *
   * @param output the file that standard output appends to
   * @param errors the file that standard error appends to
   */
  private CommandLoop(Path output, Path errors) throws ReflectiveOperationException {
    this.output = output;
    this.errors = errors;
  }

  /** The arguments are the port of the test, and the files of standard output and error. */
  public static void main(String[] args) throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    CommandLoop loop = new CommandLoop(Path.of(args[1]), Path.of(args[2]));
    try (Socket test = new Socket(here, Integer.parseInt(args[0]));
        ServerSocket scripts = new ServerSocket(0, 0, here)) {
      test.getOutputStream()
          .write((scripts.getLocalPort() + "\n").getBytes(StandardCharsets.UTF_8));
      Thread accepting = new Thread(() -> loop.accept(scripts), "scripts");
      accepting.setDaemon(true);
      accepting.start();
      loop.serve(test);
    } finally {
      Runtime.getRuntime().halt(0); // the test has ended
    }
  }

  /** Returns the environment of this process, which can be changed. */
  @SuppressWarnings("unchecked")
  private static Map<String, String> environment() throws ReflectiveOperationException {
    Field variables =
        Class.forName("java.lang.ProcessEnvironment").getDeclaredField("theEnvironment");
    variables.setAccessible(true);
    Constructor<?> view =
        Class.forName("java.lang.ProcessEnvironment$StringEnvironment")
            .getDeclaredConstructor(Map.class);
    view.setAccessible(true);
    return (Map<String, String>) view.newInstance(variables.get(null));
  }

  private void accept(ServerSocket scripts) {
    while (true) {
      try (Socket script = scripts.accept()) {
        serve(script);
      } catch (IOException ended) {
        // the script has ended
      }
    }
  }

  private void serve(Socket caller) throws IOException {
    BufferedReader folders =
        new BufferedReader(new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8));
    PrintWriter codes = new PrintWriter(caller.getOutputStream(), true, StandardCharsets.UTF_8);
    for (String folder = folders.readLine(); folder != null; folder = folders.readLine()) {
      codes.println(run(Path.of(folder)));
    }
  }

  private synchronized int run(Path folder) throws IOException {
    environment.keySet().removeIf(name -> name.startsWith("KV_"));
    for (String variable : strings(folder.resolve("environment"))) {
      int end = variable.indexOf('=');
      if (variable.startsWith("KV_")) {
        environment.put(variable.substring(0, end), variable.substring(end + 1));
      }
    }
    System.setIn(new ByteArrayInputStream(Files.readAllBytes(folder.resolve("input"))));
    int code = KvMain.run(strings(folder.resolve("arguments")));
    System.out.flush();
    System.err.flush();
    move(output, folder.resolve("output"));
    move(errors, folder.resolve("errors"));
    return code;
  }

  /** Returns the texts in a file, each of which ends with a NUL. */
  private static String[] strings(Path file) throws IOException {
    String text = Files.readString(file);
    return text.isEmpty() ? new String[0] : text.substring(0, text.length() - 1).split("\0", -1);
  }

  private static void move(Path from, Path to) throws IOException {
    Files.copy(from, to);
    Files.write(from, new byte[0]); // the next command appends to it
  }
}
