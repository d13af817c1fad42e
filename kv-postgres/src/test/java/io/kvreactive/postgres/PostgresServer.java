package io.kvreactive.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * A PostgreSQL server that syncs, in a directory of its own. It can be killed, paused, started
 * again, copied to a standby and promoted.
 */
final class PostgresServer implements AutoCloseable {
  /** The version on the class path, on which the contracts run. */
  static final String DEFAULT = "default";

  private static final Path PREPARED = Path.of("target", "postgres").toAbsolutePath();
  private static final String ARCHIVE = "postgres-linux-x86_64.txz";
  private static final Duration POLL = Duration.ofMillis(10);
  private static final long START_SECONDS = 60;
  private static final long END_SECONDS = 60;

  /** Shorter than the time after which the server ends a connection that does not log in. */
  private static final long CLOSE_SECONDS = 30;

  private static final String AUXILIARY =
      "postgres: (checkpointer|background|walwriter|autovacuum|logical|archiver|wal|io |startup).*";

  private final Path binaries;
  private final Path data;
  private int port;
  private Process process;

  private PostgresServer(Path binaries, Path data) throws IOException {
    this.binaries = binaries;
    this.data = data;
    try (ServerSocket free = new ServerSocket(0)) {
      this.port = free.getLocalPort();
    }
  }

  /**
   * Returns the directory with the programs of a version and an empty cluster. The first use makes
   * it, for all tests until the next clean build.
   */
  private static synchronized Path prepared(String version) throws IOException {
    Path prepared = PREPARED.resolve(version);
    Files.createDirectories(PREPARED);
    try (FileChannel lock =
        FileChannel.open(
            PREPARED.resolve(version + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE)) {
      lock.lock(); // until the channel is closed
      if (Files.notExists(prepared)) {
        Path making = Files.createTempDirectory(PREPARED, version);
        Path archive = making.resolve(ARCHIVE);
        try (InputStream in = archive(version)) {
          Files.copy(in, archive);
        }
        run(List.of("tar", "xJf", archive.toString(), "-C", making.toString()));
        Files.delete(archive);
        run(
            unprivileged(
                making.resolve("bin/initdb").toString(),
                "-D",
                making.resolve("data").toString(),
                "-U",
                "postgres",
                "-A",
                "trust",
                "-N"));
        Files.move(making, prepared);
      }
    }
    return prepared;
  }

  private static InputStream archive(String version) throws IOException {
    if (version.equals(DEFAULT)) {
      return Objects.requireNonNull(PostgresServer.class.getResourceAsStream("/" + ARCHIVE));
    }
    return new URL("jar:file:" + PREPARED.resolve(version + ".jar") + "!/" + ARCHIVE).openStream();
  }

  /**
   * Creates a server of a version without starting it.
   *
   * @param version {@link #DEFAULT}, or a version of which the build has copied a jar
   * @param directory does not exist yet
   */
  static PostgresServer create(String version, Path directory) throws IOException {
    Path prepared = prepared(version);
    copy(prepared.resolve("data"), directory);
    PostgresServer server = new PostgresServer(prepared, directory);
    server.configure("unix_socket_directories = ''", "listen_addresses = 'localhost'");
    server.configure("fsync = on", "full_page_writes = on", "synchronous_commit = on");
    server.configure("max_connections = 100", "shared_buffers = 32MB", "wal_sender_timeout = 5s");
    return server;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  /** Copies this server, which must be stopped, to one that follows it. */
  PostgresServer standby(Path directory) throws IOException {
    copy(data, directory);
    PostgresServer standby = new PostgresServer(binaries, directory);
    standby.follow(this);
    return standby;
  }

  /** Makes this server, which must be stopped, a standby of another one. */
  void follow(PostgresServer primary) throws IOException {
    Files.writeString(data.resolve("standby.signal"), "");
    configure(
        "primary_conninfo = 'host=localhost port=%d user=postgres application_name=standby'"
            .formatted(primary.port));
  }

  /** Appends settings, which take effect at the next start. */
  void configure(String... settings) throws IOException {
    Files.writeString(
        data.resolve("postgresql.conf"),
        String.join("\n", settings) + "\n",
        StandardOpenOption.APPEND);
  }

  Path data() {
    return data;
  }

  /** Starts the server, and returns when it accepts connections. */
  PostgresServer start() throws IOException, InterruptedException {
    process =
        new ProcessBuilder(
                unprivileged(
                    binaries.resolve("bin/postgres").toString(),
                    "-D",
                    data.toString(),
                    "-p",
                    String.valueOf(port)))
            .redirectErrorStream(true)
            .start();
    CountDownLatch ready = new CountDownLatch(1);
    StringBuffer said = new StringBuffer();
    BufferedReader output = process.inputReader();
    Thread reader =
        new Thread(
            () -> {
              try (output) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                  said.append(line).append('\n');
                  if (line.contains("ready to accept")) {
                    ready.countDown();
                  }
                }
              } catch (IOException e) {
                said.append(e);
              }
            },
            "output of the server on " + port);
    reader.setDaemon(true);
    reader.start();
    if (!ready.await(START_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("no start of " + data + ":\n" + said);
    }
    return this;
  }

  /**
   * Ends all processes of the server by SIGKILL, the postmaster last: a backend that outlives it
   * ends its wait for the standby, and shows its commit to the other backends.
   */
  void kill() throws IOException, InterruptedException {
    signal("STOP"); // no process is started from here on, which would outlive the server
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    all.forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
    all.forEach(each -> each.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).join());
    Files.deleteIfExists(data.resolve("postmaster.pid"));
  }

  /** Stops the server orderly. */
  void stop() throws InterruptedException, IOException {
    signal("INT");
    process.waitFor();
  }

  /** Sends a signal to all processes of the server, such as STOP or CONT. */
  void signal(String name) throws IOException {
    List<ProcessHandle> all = new ArrayList<>(List.of(process.toHandle()));
    if (!name.equals("INT")) {
      process.descendants().forEach(all::add);
    }
    for (ProcessHandle each : all) {
      try {
        run(List.of("kill", "-" + name, "" + each.pid()));
      } catch (IOException e) {
        if (each.isAlive()) { // otherwise it has just ended, like processes of connections
          throw e;
        }
      }
    }
  }

  void promote() throws SQLException {
    query("SELECT pg_promote()");
  }

  /** Opens a connection of an administrator. */
  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://localhost:" + port + "/postgres?user=postgres");
  }

  /** Runs a statement as an administrator. Returns the first column of the first row, or null. */
  String query(String sql) throws SQLException {
    try (Connection connection = connect()) {
      return query(connection, sql);
    }
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return null;
      }
      try (ResultSet result = statement.getResultSet()) {
        return result.next() ? result.getString(1) : null;
      }
    }
  }

  /** Waits until a statement has the given result. A table may not be replicated yet. */
  void await(String sql, String expected) throws SQLException {
    String[] found = new String[1];
    try (Connection connection = connect()) {
      await(
          START_SECONDS,
          () -> {
            try {
              found[0] = query(connection, sql);
            } catch (SQLException e) {
              found[0] = e.getMessage();
            }
            return expected.equals(found[0]);
          },
          () -> sql + ": " + found[0] + " (expected: " + expected + ")");
    }
  }

  /** Waits until the server has at most a number of processes that serve connections. */
  void awaitConnections(long max) {
    List<String> all = new ArrayList<>();
    await(
        CLOSE_SECONDS,
        () -> {
          all.clear();
          all.addAll(connections());
          return all.size() <= max;
        },
        () -> all.size() + " (expected: at most " + max + "):\n" + String.join("\n", all));
  }

  private static void await(long seconds, BooleanSupplier condition, Supplier<String> failure) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(failure.get());
      }
      Mono.delay(POLL).block();
    }
  }

  /** Returns the titles of the processes that serve connections, authenticated or not. */
  private List<String> connections() {
    return process
        .descendants()
        .map(each -> title(each.pid()))
        .filter(title -> !title.isEmpty() && !title.matches(AUXILIARY))
        .toList();
  }

  private static String title(long pid) {
    try {
      return Files.readString(Path.of("/proc", "" + pid, "cmdline")).replace('\0', ' ');
    } catch (IOException e) {
      return ""; // it has just ended
    }
  }

  /** Uses the port of a stopped server from the next start on, like a virtual address. */
  void takePort(PostgresServer gone) {
    port = gone.port;
  }

  int port() {
    return port;
  }

  /** Returns the part of a URL that names the server. */
  String address() {
    return "localhost:" + port;
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (process != null && process.isAlive()) {
      signal("CONT");
      kill();
    }
  }

  /** PostgreSQL refuses to run as root. */
  private static List<String> unprivileged(String... command) {
    List<String> all = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      all.addAll(List.of("unshare", "-U"));
    }
    all.addAll(List.of(command));
    return all;
  }

  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command + ": " + output);
      }
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }
}
