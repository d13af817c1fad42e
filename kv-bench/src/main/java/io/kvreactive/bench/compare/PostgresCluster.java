package io.kvreactive.bench.compare;

import io.kvreactive.bench.Directories;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A PostgreSQL server of the installed binaries on a new directory, with {@code fsync=on}, and
 * optionally one synchronous standby on the same machine. As root it runs as the user postgres.
 */
final class PostgresCluster implements AutoCloseable {
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql"); // of Debian
  private static final String SETTINGS =
      """
      port=%d
      listen_addresses='127.0.0.1'
      unix_socket_directories='%s'
      fsync=on
      synchronous_commit=on
      full_page_writes=on
      shared_buffers=512MB
      max_wal_size=4GB
      """;

  private final Path directory;
  private final Path binaries;
  private final List<Path> running = new ArrayList<>();
  private final int port;

  private PostgresCluster(Path parent) throws IOException {
    binaries = binaries();
    directory = Directories.fresh(parent, "kv-bench-postgres");
    port = freePort();
    if (isRoot()) {
      run(List.of("chown", "postgres", directory.toString()));
    }
  }

  /**
   * Creates and starts a server.
   *
   * @param parent a directory below which the user postgres may read
   * @param standby true to start a synchronous standby as well
   */
  static PostgresCluster start(Path parent, boolean standby) throws IOException {
    PostgresCluster cluster = new PostgresCluster(parent);
    try {
      Path primary = cluster.directory.resolve("primary");
      cluster.postgres("initdb", "-A", "trust", "-U", "postgres", "-D", primary.toString());
      cluster.configure(primary, cluster.port);
      cluster.start(primary);
      if (standby) {
        Path copy = cluster.directory.resolve("standby");
        cluster.postgres(
            "pg_basebackup", "-R", "-D", copy.toString(), "-d", cluster.connection("standby"));
        cluster.configure(copy, freePort());
        cluster.start(copy);
        cluster.sql("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
        cluster.sql("SELECT pg_reload_conf()");
      }
      return cluster;
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static Path binaries() throws IOException {
    try (Stream<Path> versions = Files.list(INSTALLED)) {
      return versions
          .map(version -> version.resolve("bin"))
          .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
          .max(Comparator.comparing(Path::toString))
          .orElseThrow();
    } catch (IOException | java.util.NoSuchElementException e) {
      throw new IOException(
          "no PostgreSQL in " + INSTALLED + " (expected: apt-get install postgresql)", e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  private void configure(Path data, int at) throws IOException {
    Path file = data.resolve("postgresql.conf");
    String settings = SETTINGS.formatted(at, directory);
    Files.writeString(file, Files.readString(file) + settings, StandardCharsets.UTF_8);
  }

  private void start(Path data) throws IOException {
    postgres("pg_ctl", "start", "-w", "-D", data.toString(), "-l", data + ".log");
    running.add(data);
  }

  private String connection(String name) {
    return "host=127.0.0.1 port=%d user=postgres application_name=%s".formatted(port, name);
  }

  private void sql(String statement) throws IOException {
    postgres("psql", "-q", "-d", connection("bench"), "-c", statement);
  }

  private void postgres(String program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.add(binaries.resolve(program).toString());
    command.addAll(List.of(arguments));
    run(command);
  }

  private void run(List<String> command) throws IOException {
    Path log = Files.createTempFile("kv-bench", ".log");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile()) // not a pipe, which the server would keep open
            .start();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(String.join(" ", command) + " failed: " + Files.readString(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      Files.delete(log);
    }
  }

  /** Returns the URL of a store in a schema. */
  String url(String schema) {
    return "postgresql://postgres@127.0.0.1:%d/postgres?sslmode=disable&schema=%s"
        .formatted(port, schema);
  }

  @Override
  public void close() throws IOException {
    for (Path data : running) {
      postgres("pg_ctl", "stop", "-w", "-m", "immediate", "-D", data.toString());
    }
    Directories.remove(directory);
  }
}
