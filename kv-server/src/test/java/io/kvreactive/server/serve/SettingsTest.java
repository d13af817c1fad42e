package io.kvreactive.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.KvOptions;
import io.kvreactive.postgres.PostgresOptions;
import io.kvreactive.spi.KvEngineOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class SettingsTest {
  @TempDir Path directory;

  private static Settings settings(Map<String, String> environment, String... flags) {
    return Settings.of(new CommandLine(new ServeCommand()).parseArgs(flags), environment);
  }

  private String file(String yaml) throws Exception {
    return "--config=" + Files.writeString(directory.resolve("kv.yaml"), yaml);
  }

  @Test
  void prefersFlagsToVariablesAndVariablesToTheFile() throws Exception {
    String config = file("port: 1\nhost: h1\ndrain-timeout: 1s\n");
    Map<String, String> environment = Map.of("KV_PORT", "2", "KV_HOST", "h2");
    Settings settings = settings(environment, config, "--port", "3");
    assertThat(settings.flags().port).isEqualTo(3);
    assertThat(settings.flags().host).isEqualTo("h2");
    assertThat(settings.flags().drainTimeout).hasSeconds(1);
    assertThat(settings.print())
        .contains("port: 3  # --port\n")
        .contains("host: \"h2\"  # KV_HOST\n")
        .contains("drain-timeout: 1s  # " + directory.resolve("kv.yaml") + ":3\n")
        .contains("path: \"data/kv\"  # default\n");
  }

  @Test
  void choosesAlternativesByTheHighestSource() throws Exception {
    Settings settings = settings(Map.of("KV_SERVER_TOKEN", "secret"), file("token-file: /none"));
    assertThat(settings.flags().token).isEqualTo("secret");
    assertThat(settings.flags().tokenFile).isNull();
    assertThat(settings.print())
        .contains("token: \"***\"  # KV_SERVER_TOKEN")
        .doesNotContain("secret");
    assertThat(settings(Map.of("KV_PATH", "/data"), "--memory").flags().memory).isTrue();
    assertThatThrownBy(() -> settings(Map.of("KV_SERVER_TOKEN", "a", "KV_SERVER_TOKEN_FILE", "b")))
        .isInstanceOf(ConfigException.class)
        .hasMessage("KV_SERVER_TOKEN and KV_SERVER_TOKEN_FILE (expected: one of them)");
  }

  @Test
  void ignoresVariablesOfClients() {
    Map<String, String> ofClients =
        Map.of("KV_TOKEN", "a", "KV_TOKEN_FILE", "b", "KV_URL", "http://127.0.0.1:4512");
    assertThat(settings(ofClients).print()).isEqualTo(settings(Map.of()).print());
  }

  @Test
  void readsFilesAsUtf8() throws Exception {
    Path yaml = directory.resolve("kv.yaml");
    Files.write(yaml, new byte[] {'h', 'o', 's', 't', ':', ' ', 'h', (byte) 0xFF, '\n'});
    assertThatThrownBy(() -> settings(Map.of(), "--config=" + yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessage(yaml + ": byte 7 is 0xff (expected: UTF-8)");
    Files.writeString(yaml, "port: 1\n", java.nio.charset.StandardCharsets.UTF_16);
    assertThatThrownBy(() -> settings(Map.of(), "--config=" + yaml))
        .isInstanceOf(ConfigException.class)
        .hasMessage(yaml + ": byte 0 is 0xfe (expected: UTF-8)");
    Files.writeString(yaml, "\uFEFFport: 1\n");
    assertThat(settings(Map.of(), "--config=" + yaml).flags().port).isEqualTo(1);
  }

  @Test
  void reportsErrorsWithTheirSource() throws Exception {
    Path yaml = directory.resolve("kv.yaml");
    assertWrong("port: 1\nprot: 2\n", yaml + ":2: unknown property \"prot\"");
    assertWrong("tls:\n  cret: x\n", yaml + ":2: unknown property \"tls-cret\"");
    assertWrong("port: x\n", yaml + ":1: Invalid value for option '--port'");
    assertWrong("port:\n", yaml + ":1: no value");
    assertWrong("- a\n", yaml + ":1: not properties");
    assertWrong("port: 1\nport: 2\n", yaml + ":");
    assertWrong("config: other\n", yaml + ":1: unknown property \"config\"");
    assertThatThrownBy(() -> settings(Map.of("KV_PORT", "x")))
        .hasMessageStartingWith("KV_PORT: Invalid value");
  }

  private void assertWrong(String yaml, String message) throws Exception {
    String config = file(yaml);
    assertThatThrownBy(() -> settings(Map.of(), config))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void acceptsNestedNamesAndJoinsLists() throws Exception {
    Settings settings =
        settings(
            Map.of(),
            file("# all\ntls: {cert: c.pem, key: k.pem}\nallowed-origins: [http://a, http://b]\n"));
    assertThat(settings.flags().tlsCert).isEqualTo(Path.of("c.pem"));
    assertThat(settings.flags().allowedOrigins).containsExactly("http://a", "http://b");
    assertThat(settings(Map.of(), file("# nothing\n")).flags().port).isEqualTo(4512);
  }

  @Test
  void rejectsOverflowingDurations() throws Exception {
    List<String> times =
        new CommandLine(new ServeFlags())
            .getCommandSpec().options().stream()
                .filter(option -> option.type() == Duration.class)
                .map(OptionSpec::longestName)
                .toList();
    assertThat(times).hasSizeGreaterThan(5).contains("--drain-timeout");
    for (String time : times) {
      assertThatThrownBy(() -> settings(Map.of(), time, "36501d"))
          .as(time)
          .hasMessageContaining("too long a time (expected: at most 36500d)");
      if (!time.startsWith("--postgres")) {
        assertThatCode(() -> ServerSetup.of(settings(Map.of(), time, "36500d")))
            .as(time)
            .doesNotThrowAnyException();
      }
    }
  }

  @Test
  void passesTheSettingsOfPostgresToItsEngine() throws Exception {
    Settings settings =
        settings(
            Map.of("KV_POSTGRES_CONNECTIONS", "3", "KV_POSTGRES_IDLE_TIMEOUT", "36500d"),
            file(
                "engine: postgres\nurl: postgresql://host/app\n"
                    + "postgres: {connect-timeout: 2s, request-timeout: 10m, snapshot-age: 20m}\n"
                    + "log-retention: 5m\nlog-retention-age: 1h\n"));
    Function<String, KvEngineOptions> engine = ServerSetup.of(settings).options().engine();
    PostgresOptions options = (PostgresOptions) engine.apply("default");
    assertThat(options)
        .isEqualTo(
            PostgresOptions.at("postgresql://host/app")
                .withRetention(Duration.ofHours(1), 5 << 20, Duration.ofMinutes(20))
                .withTimeouts(Duration.ofSeconds(2), Duration.ofMinutes(10))
                .withReadConnections(3)
                .withIdleTimeout(Duration.ofDays(36_500)));
    assertThat(engine.apply("orders")).isEqualTo(options.withSchema("kv_orders"));
    assertThatThrownBy(() -> engine.apply("x".repeat(46)))
        .hasMessageContaining("database \"xxx")
        .hasMessageContaining("schema: \"kv_xxx")
        .hasMessageContaining("expected: 1 to 48 characters");
  }

  @ParameterizedTest
  @CsvSource({
    "EMBEDDED,postgres-connections,3,expected: --engine postgres",
    "EMBEDDED,postgres-connect-timeout,1s,expected: --engine postgres",
    "EMBEDDED,postgres-request-timeout,1s,expected: --engine postgres",
    "EMBEDDED,postgres-idle-timeout,1s,expected: --engine postgres",
    "EMBEDDED,postgres-snapshot-age,1h,expected: --engine postgres",
    "POSTGRES,postgres-connections,0,readConnections: 0 (expected: at least 1)",
    "POSTGRES,postgres-snapshot-age,29s,snapshotAge: PT29S (expected: at least 30 s)",
    "POSTGRES,log-retention-age,1m,retentionAge: PT1M (expected: at least 300 s)",
    "POSTGRES,durability,RELAXED,expected: SYNC; synchronous_commit of PostgreSQL decides",
    "POSTGRES,backup-dir,b,expected: none; use the tools of PostgreSQL for backups",
  })
  void rejectsSettingsThatTheEngineWouldIgnore(
      String engine, String name, String value, String message) throws Exception {
    Settings settings =
        settings(
            Map.of("KV_SERVER_URL", "postgresql://host/app"),
            "--engine",
            engine,
            "--" + name,
            value);
    assertThatThrownBy(() -> ServerSetup.of(settings))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(message);
  }

  @Test
  void passesMemoryLimitsToTheServer() throws Exception {
    Settings settings =
        settings(
            Map.of("KV_MAX_HELD", "2m", "KV_MAX_MEMORY", "300m"),
            "--max-body",
            "4k",
            "--max-bodies",
            "100m",
            "--max-vector-memory",
            "50m",
            "--max-query-memory",
            "30m",
            "--token",
            "some-token");
    RoutesOptions routes = ServerSetup.of(settings).options().routes();
    assertThat(routes.maxBodyBytes()).isEqualTo(4096);
    assertThat(routes.maxBodiesBytes()).isEqualTo(100 << 20);
    assertThat(routes.maxMemoryBytes()).isEqualTo(300 << 20);
    assertThat(routes.stream().heldBytes()).isEqualTo(2 << 20);
    assertThat(ServerSetup.of(settings).options().operations().maxVectorMemoryBytes())
        .isEqualTo(50 << 20);
    assertThat(ServerSetup.of(settings).options().operations().maxQueryMemoryBytes())
        .isEqualTo(30 << 20);
    ServerOptions usual = ServerSetup.of(settings(Map.of())).options();
    assertThat(usual.routes()).isEqualTo(RoutesOptions.DEFAULT);
    assertThat(usual.operations().maxVectorMemoryBytes())
        .isEqualTo(Runtime.getRuntime().maxMemory() / 4);
    assertThat(usual.operations().maxQueryMemoryBytes())
        .isEqualTo(Runtime.getRuntime().maxMemory() / 6);
  }

  @Test
  void passesSettingsOfFilesToTheServer() throws Exception {
    ServerOptions options =
        ServerSetup.of(settings(Map.of(), "--old-values", "--backup-dir", "b")).options();
    KvOptions store = KvOptions.at(directory);
    assertThat(options.operations().stores().apply(store).oldValues()).isTrue();
    assertThat(options.routes().backupDirectory()).isEqualTo(Path.of("b"));
    ServerOptions usual = ServerSetup.of(settings(Map.of())).options();
    assertThat(usual.operations().stores().apply(store).oldValues()).isFalse();
  }

  @Test
  void readsItsPrintedFormAgain() throws Exception {
    String printed = settings(Map.of(), "--max-body", "1m", "--durability", "RELAXED").print();
    assertThat(settings(Map.of(), file(printed)).flags().maxBody).isEqualTo(1 << 20);
  }

  private void assertReadsAgain(Settings settings) throws Exception {
    Settings again = settings(Map.of(), file(settings.print()));
    assertThat(withoutOrigins(again)).isEqualTo(withoutOrigins(settings));
    assertThat(again.flags().token).as("a mask is no token").isNull();
  }

  /** Returns the settings in effect, without comments and without their sources. */
  private static String withoutOrigins(Settings settings) {
    return settings
        .print()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceFirst("  # .*", ""))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void printsAValidConfigurationForAnySettings() throws Exception {
    assertReadsAgain(settings(Map.of()));
    assertReadsAgain(settings(Map.of("KV_SERVER_TOKEN", "a-secret"), "--memory"));
    assertReadsAgain(settings(Map.of(), "--token-file", "t: #1", "--path", "a \"b\""));
    assertReadsAgain(
        settings(
            Map.of("KV_MEMORY", "false"),
            file(
                "path: some\n"
                    + "log-retention-age: 90m\n"
                    + "allowed-hosts: [a, b]\n"
                    + "tls: {cert: c, key: k}")));
    Settings memory = settings(Map.of(), "--memory", file("path: some"));
    assertThat(memory.print()).contains("# path: ").contains("# config: ");
    assertReadsAgain(memory);
  }
}
