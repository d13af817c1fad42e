package io.kvreactive.server;

import io.kvreactive.server.KvProcess.Result;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A process that runs commands one after the other, each as {@code kv} would: a start of Java for
 * each command would take most of the time of a test. A command that runs until a signal, is
 * killed, or needs a terminal runs in a {@link KvProcess}.
 */
final class CommandHost implements KvRunner, AutoCloseable {
  private static final int START_MILLIS = 120_000;

  private final Process process;
  private final Path out;
  private final Path err;
  private final Socket socket;
  private final DataOutputStream commands;
  private final DataInputStream codes;
  private long outRead;
  private long errRead;

  /** Starts a process for commands that name a server or a directory themselves. */
  CommandHost() {
    this(Map.of());
  }

  /** Starts a process with environment variables. */
  CommandHost(Map<String, String> environment) {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      out = Files.createTempFile("kv", ".out");
      err = Files.createTempFile("kv", ".err");
      String[] port = {"" + listener.getLocalPort()};
      List<String> command = KvProcess.command(CommandLoop.class.getName(), port);
      process =
          KvProcess.builder(environment, command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      listener.setSoTimeout(START_MILLIS);
      socket = listener.accept();
      commands = new DataOutputStream(socket.getOutputStream());
      codes = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Result with(String input, String... arguments) throws IOException {
    return with(input.getBytes(StandardCharsets.UTF_8), arguments);
  }

  Result with(byte[] input, String... arguments) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream fields = new DataOutputStream(frame);
    fields.writeInt(arguments.length);
    for (String argument : arguments) {
      write(argument.getBytes(StandardCharsets.UTF_8), fields);
    }
    write(input, fields);
    frame.writeTo(commands);
    int code;
    try {
      code = codes.readInt();
    } catch (IOException e) {
      throw new AssertionError(
          "the process ended during " + Arrays.toString(arguments) + ": " + Files.readString(err),
          e);
    }
    byte[] printed = rest(out, outRead);
    byte[] errors = rest(err, errRead);
    outRead += printed.length;
    errRead += errors.length;
    return new Result(
        code,
        String.join("\n", new String(printed, StandardCharsets.UTF_8).lines().toList()),
        new String(errors, StandardCharsets.UTF_8));
  }

  private static void write(byte[] bytes, DataOutputStream out) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte[] rest(Path file, long from) throws IOException {
    try (var in = Files.newInputStream(file)) {
      in.skipNBytes(from);
      return in.readAllBytes();
    }
  }

  /** Ends the process. */
  @Override
  public void close() throws IOException {
    socket.close();
    process.destroyForcibly().onExit().join();
    Files.deleteIfExists(out);
    Files.deleteIfExists(err);
  }
}
