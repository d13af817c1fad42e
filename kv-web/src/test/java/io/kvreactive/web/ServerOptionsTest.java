package io.kvreactive.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ServerOptionsTest {
  private static final ServerOptions BEFORE = ServerOptions.at(Path.of("somewhere"));

  static Stream<Arguments> changes() {
    return Stream.of(
        change("host, port", o -> o.withAddress("example.com", 1)),
        change("token", o -> o.withToken("t")),
        change("createDatabases", o -> o.withCreateDatabases(false)),
        change("drainTimeout", o -> o.withDrainTimeout(Duration.ofHours(1))),
        change("routes", o -> o.withRoutes(RoutesOptions.DEFAULT.withMaxBodyBytes(1))),
        change("tls", o -> o.withTls(TlsOptions.of(Path.of("c"), Path.of("k")))),
        change("security", o -> o.withSecurity(SecurityOptions.DEFAULT)),
        change("limits", o -> o.withLimits(LimitOptions.DEFAULT.withMaxTracked(1))),
        change("connections", o -> o.withConnections(connections())),
        change("operations", o -> o.withOperations(operations())));
  }

  private static ConnectionOptions connections() {
    return ConnectionOptions.DEFAULT.withIdle(Duration.ofHours(1), Duration.ofHours(1));
  }

  private static OperationsOptions operations() {
    return OperationsOptions.DEFAULT.withAccessLog(true);
  }

  private static Arguments change(String names, UnaryOperator<ServerOptions> change) {
    return Arguments.of(names, change);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void changesOnlyTheNamedOption(String names, UnaryOperator<ServerOptions> change)
      throws Exception {
    ServerOptions after = change.apply(BEFORE);
    List<String> changed = new ArrayList<>();
    for (var component : ServerOptions.class.getRecordComponents()) {
      Object was = component.getAccessor().invoke(BEFORE);
      if (was == null
          ? component.getAccessor().invoke(after) != null
          : !was.equals(component.getAccessor().invoke(after))) {
        changed.add(component.getName());
      }
    }
    assertThat(String.join(", ", changed)).isEqualTo(names);
  }

  @Test
  void readsTokensFromTheDirectory() {
    assertThat(BEFORE.directory()).isEqualTo(Path.of("somewhere"));
    assertThat(BEFORE.security().tokens()).isEqualTo(Path.of("somewhere", "tokens.json"));
  }
}
