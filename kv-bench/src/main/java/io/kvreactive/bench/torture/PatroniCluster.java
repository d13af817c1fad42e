package io.kvreactive.bench.torture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Three PostgreSQL servers with synchronous replication under Patroni, and one etcd, all of Debian
 * and on this machine. Each node is reached through proxies: by clients and by the other nodes, and
 * it reaches etcd through one. Not thread-safe.
 */
final class PatroniCluster implements AutoCloseable {
  static final int NODES = 3;
  private static final String HOST = "127.0.0.1";
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final long HEALTHY_SECONDS = 180;
  private static final long PAUSE_MILLIS = 250;

  private final Path directory;
  private final Path programs;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final List<Node> nodes = new ArrayList<>();
  private final @Nullable Process etcd;

  /** A node: Patroni with its server. */
  final class Node {
    final String name;
    private final int port = free();
    private final int restPort = free();
    private final FaultProxy server;
    private final FaultProxy rest;
    private final FaultProxy store;
    private final Path home;
    private @Nullable Process patroni;

    Node(Vertx vertx, int number, int etcdPort) throws IOException {
      name = "node" + number;
      home = directory.resolve(name);
      server = new FaultProxy(vertx, port);
      rest = new FaultProxy(vertx, restPort);
      store = new FaultProxy(vertx, etcdPort);
      Files.createDirectory(home);
      Files.writeString(home.resolve("patroni.yml"), configuration());
    }

    private String configuration() {
      return """
      scope: torture
      name: %1$s
      restapi: {listen: '%2$s:%3$d', connect_address: '%2$s:%4$d'}
      etcd3: {host: '%2$s:%5$d', use_proxies: true}
      bootstrap:
        dcs:
          ttl: 10
          loop_wait: 1
          retry_timeout: 3
          primary_start_timeout: 0
          maximum_lag_on_failover: 0
          synchronous_mode: true
          synchronous_mode_strict: true
          postgresql: {use_pg_rewind: true, use_slots: true}
        initdb: [{encoding: UTF8}, data-checksums]
      postgresql:
        listen: '%2$s:%6$d'
        connect_address: '%2$s:%7$d'
        data_dir: '%8$s/data'
        bin_dir: '%9$s'
        pgpass: '%8$s/pgpass'
        authentication:
          superuser: {username: postgres, password: secret}
          replication: {username: replicator, password: secret}
          rewind: {username: postgres, password: secret}
        pg_hba: ['host all all %2$s/32 scram-sha-256', 'host replication all %2$s/32 scram-sha-256']
        parameters:
          unix_socket_directories: ''
          max_connections: 60
          shared_buffers: 32MB
          fsync: 'on'
          synchronous_commit: 'on'
          wal_keep_size: 256MB
          wal_sender_timeout: 5s
          wal_receiver_timeout: 5s
      """
          .formatted(
              name, HOST, restPort, rest.port(), store.port(), port, server.port(), home, programs);
    }

    private void start() throws IOException {
      patroni =
          run(home.resolve("log"), List.of("patroni", home.resolve("patroni.yml").toString()));
    }

    /** Sends a signal to all processes of the server, and to Patroni if that is wanted. */
    private void signal(String signal, boolean patroniToo) throws IOException {
      List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
      long postmaster = postmaster();
      ProcessHandle.of(postmaster)
          .ifPresent(
              process -> {
                command.add(String.valueOf(postmaster));
                process.descendants().forEach(each -> command.add(String.valueOf(each.pid())));
              });
      if (patroniToo && patroni != null) {
        patroni
            .descendants()
            .filter(each -> each.info().command().orElse("").contains("python"))
            .forEach(each -> command.add(String.valueOf(each.pid())));
        command.add(String.valueOf(patroni.pid()));
      }
      if (command.size() > 2) {
        new ProcessBuilder(command).redirectErrorStream(true).start();
      }
    }

    private long postmaster() throws IOException {
      Path file = home.resolve("data").resolve("postmaster.pid");
      return Files.exists(file) ? Long.parseLong(Files.readAllLines(file).get(0).trim()) : -1;
    }

    void kill() throws IOException {
      signal("KILL", false);
    }

    void pause() throws IOException {
      signal("STOP", true);
    }

    void resume() throws IOException {
      signal("CONT", true);
    }

    /** Stops the server at once, as an operator does; Patroni starts it again or fails over. */
    void restart() throws IOException {
      long postmaster = postmaster();
      if (postmaster > 0) {
        new ProcessBuilder("kill", "-QUIT", String.valueOf(postmaster)).start();
      }
    }

    void cut() {
      Stream.of(server, rest, store).forEach(FaultProxy::cut);
    }

    void heal() {
      Stream.of(server, rest, store).forEach(FaultProxy::heal);
    }
  }

  PatroniCluster(Vertx vertx, Path directory) throws IOException {
    this.directory = directory;
    this.programs = programs();
    int etcdPort = free();
    int peerPort = free();
    try {
      new ProcessBuilder("chmod", "0777", directory.toString()).start().waitFor();
      String url = "http://" + HOST + ":" + etcdPort;
      String peer = "http://" + HOST + ":" + peerPort;
      etcd =
          run(
              directory.resolve("etcd.log"),
              List.of(
                  "etcd",
                  "--data-dir=" + directory.resolve("etcd"),
                  "--listen-client-urls=" + url,
                  "--advertise-client-urls=" + url,
                  "--listen-peer-urls=" + peer,
                  "--initial-advertise-peer-urls=" + peer,
                  "--initial-cluster=default=" + peer));
      for (int i = 1; i <= NODES; i++) {
        nodes.add(new Node(vertx, i, etcdPort));
      }
      new ProcessBuilder("chmod", "-R", "a+rwX", directory.toString()).start().waitFor();
      for (Node node : nodes) {
        node.start();
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static Path programs() throws IOException {
    Path all = Path.of("/usr/lib/postgresql");
    if (Files.isDirectory(all)) {
      try (Stream<Path> versions = Files.list(all)) {
        Path newest = versions.map(each -> each.resolve("bin")).max(Path::compareTo).orElse(all);
        if (Files.isExecutable(newest.resolve("postgres"))) {
          return newest;
        }
      }
    }
    throw new IOException("no PostgreSQL (apt-get install postgresql patroni etcd-server)");
  }

  private static int free() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Runs a program as a user that is not root. */
  private static Process run(Path log, List<String> command) throws IOException {
    List<String> all = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      all.addAll(List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"));
    }
    all.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(all)
            .directory(log.resolveSibling(".").toFile()) // a directory that the user may enter
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("LC_ALL", "C.UTF-8");
    builder.environment().put("HOME", "/tmp");
    return builder.start();
  }

  /** Returns the URL of all servers, through the proxies of clients. */
  String url() {
    StringBuilder hosts = new StringBuilder();
    nodes.forEach(node -> hosts.append(',').append(HOST + ":").append(node.server.port()));
    return "postgresql://postgres:secret@" + hosts.substring(1) + "/postgres";
  }

  /**
   * The primary.
   *
   * @param timeline the timeline of its write-ahead log, which each promotion increments
   */
  record Leader(Node node, long timeline) {}

  /**
   * Waits until there is a primary, and both others stream from it, one of them synchronously. The
   * state of the cluster may be older than a fault.
   *
   * @param minTimeline the minimum timeline of the primary
   */
  Leader awaitHealthy(long minTimeline) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(HEALTHY_SECONDS);
    String state = "";
    while (System.nanoTime() < deadline) {
      for (Node node : nodes) {
        state = get("http://" + HOST + ":" + node.restPort + "/cluster");
        Leader leader = leader(state);
        if (leader != null && leader.timeline >= minTimeline) {
          return leader;
        }
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    throw new IOException(
        "the cluster is not healthy: %s (expected: a primary of timeline %d or later)"
            .formatted(state, minTimeline));
  }

  private @Nullable Leader leader(String state) throws IOException {
    if (state.isEmpty()) {
      return null;
    }
    Leader leader = null;
    int streaming = 0;
    int synchronous = 0;
    for (JsonNode member : new ObjectMapper().readTree(state).path("members")) {
      String role = member.path("role").asText();
      String how = member.path("state").asText();
      boolean runs = how.equals("running") || how.equals("streaming");
      if (role.equals("leader") && runs) {
        String name = member.path("name").asText();
        long timeline = member.path("timeline").asLong();
        leader =
            nodes.stream()
                .filter(node -> node.name.equals(name))
                .findFirst()
                .map(node -> new Leader(node, timeline))
                .orElse(null);
      } else if (runs && member.path("lag").asInt(-1) >= 0) {
        streaming++;
        synchronous += role.equals("sync_standby") ? 1 : 0;
      }
    }
    return streaming == NODES - 1 && synchronous == 1 ? leader : null;
  }

  /** Returns the name of the leader in etcd, or an empty text. */
  private String get(String url) throws InterruptedException {
    try {
      HttpResponse<String> response =
          http.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build(),
              HttpResponse.BodyHandlers.ofString());
      return response.statusCode() == 200 ? response.body() : "";
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() throws IOException {
    for (Node node : nodes) {
      node.heal();
      node.resume();
      Process patroni = node.patroni;
      if (patroni != null) {
        patroni.descendants().forEach(ProcessHandle::destroyForcibly);
        patroni.destroyForcibly();
      }
      node.kill();
      Stream.of(node.server, node.rest, node.store).forEach(FaultProxy::close);
    }
    Objects.requireNonNull(etcd).destroyForcibly();
  }
}
