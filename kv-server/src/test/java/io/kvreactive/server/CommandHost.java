package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.server.KvProcess.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process that runs commands one after the other, each as {@code kv} would: a start of Java for
 * each command would take most of the time of a test. A command that runs until a signal, is
 * killed, or needs a terminal runs in a {@link KvProcess}. The process ends with the JVM of the
 * tests.
 */
final class CommandHost implements KvRunner {
  /** Runs commands that name a server or a directory themselves. */
  static final CommandHost KV = new CommandHost();

  private static final int START_MILLIS = 120_000;

  private static final String SCRIPT =
      """
      #!/bin/bash
      [ -z "${OWN_PROCESS-}" ] || exec JAVA "$@"
      set -e
      folder=$(mktemp -d 'FOLDERS/script-XXXXXX')
      printf '%s\\0' "$@" >"$folder/arguments"
      env -0 >"$folder/environment"
      cat >"$folder/input"
      exec 3<>/dev/tcp/127.0.0.1/PORT
      echo "$folder" >&3
      read -r code <&3
      cat "$folder/errors" >&2
      cat "$folder/output"
      exit "$code"
      """;

  /** The current directory of the commands. */
  final Path directory = temporary();

  private final Path folders = temporary();
  private final Path errors = folders.resolve("errors");
  private final Socket socket;
  private final BufferedReader codes;
  private final String port;

  private CommandHost() {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path output = folders.resolve("output");
      String[] arguments = {"" + listener.getLocalPort(), output.toString(), errors.toString()};
      List<String> command = KvProcess.command(CommandLoop.class.getName(), arguments);
      command.add(1, "--add-opens=java.base/java.lang=ALL-UNNAMED"); // for the environment
      KvProcess.builder(Map.of(), command)
          .directory(directory.toFile())
          .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()))
          .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
          .start();
      listener.setSoTimeout(START_MILLIS);
      socket = listener.accept();
      codes =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      port = codes.readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a new folder that is deleted when this JVM ends. */
  private static Path temporary() {
    try {
      Path folder = Files.createTempDirectory("kv-host");
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> SharedClasses.delete(folder), "kv-host"));
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Result with(String input, String... arguments) throws IOException {
    return with(input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  Result with(byte[] input, String... arguments) throws IOException {
    return run(Map.of(), input, arguments);
  }

  /** Returns a runner of commands with environment variables. */
  KvRunner with(Map<String, String> environment) {
    return (input, arguments) ->
        run(environment, input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  private synchronized Result run(
      Map<String, String> environment, byte[] input, String... arguments) throws IOException {
    Map<String, String> variables = new TreeMap<>(KvProcess.ENVIRONMENT);
    variables.putAll(environment);
    Path folder = Files.createTempDirectory(folders, "command");
    write(Stream.of(arguments), folder.resolve("arguments"));
    write(
        variables.entrySet().stream().map(each -> each.getKey() + "=" + each.getValue()),
        folder.resolve("environment"));
    Files.write(folder.resolve("input"), input);
    socket.getOutputStream().write((folder + "\n").getBytes(StandardCharsets.UTF_8));
    String code = codes.readLine();
    if (code == null) {
      throw new AssertionError(
          "the process ended during " + List.of(arguments) + ": " + Files.readString(errors));
    }
    return new Result(
        Integer.parseInt(code),
        String.join("\n", text(folder.resolve("output")).lines().toList()),
        text(folder.resolve("errors")));
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  /** Writes texts, each of which ends with a NUL. */
  private static void write(Stream<String> texts, Path file) throws IOException {
    Files.write(
        file,
        texts
            .map(each -> each + "\0")
            .collect(Collectors.joining())
            .getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes a script {@code kv}. Its commands run in this process, except for those with the
   * variable {@code OWN_PROCESS}.
   */
  Path script(Path folder) throws IOException {
    Path script =
        Files.writeString(
            folder.resolve("kv"),
            SCRIPT
                .replace("JAVA", "'" + String.join("' '", KvProcess.command()) + "'")
                .replace("FOLDERS", folders.toString())
                .replace("PORT", port));
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script;
  }
}
