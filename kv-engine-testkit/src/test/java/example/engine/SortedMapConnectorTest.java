package example.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvreactive.Kv;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvKey;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SortedMapConnectorTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final Path SOURCES = Path.of("src/test/java/example/engine");
  private static final Pattern USED = Pattern.compile("io\\.kvreactive\\.[\\w.]+");

  @Test
  void isFoundByTheSchemeOfTheUrl(Vertx vertx) {
    Kv kv = Kv.connect(vertx, "sortedmap:mine", "a token").block(TIMEOUT);
    kv.set(KvKey.of("a"), 1).block(TIMEOUT);
    assertThat(kv.get(KvKey.of("a"), Integer.class).block(TIMEOUT).value()).isEqualTo(1);
    assertThat(kv.engine().name()).isEqualTo("mine");
    kv.close().block(TIMEOUT);
  }

  @Test
  void rejectsCallsAfterItsEnd(Vertx vertx) {
    Kv kv = Kv.connect(vertx, "sortedmap:closed", "a token").block(TIMEOUT);
    Kv other = kv.withEngine(engine -> engine);
    kv.close().block(TIMEOUT);
    kv.close().block(TIMEOUT);
    List.of(
            other.get(KvKey.of("a")),
            other.set(KvKey.of("a"), 1),
            other.watch(KvKey.of("a")).next())
        .forEach(
            call ->
                assertThatThrownBy(() -> call.block(TIMEOUT))
                    .isInstanceOfSatisfying(
                        KvException.class,
                        e -> assertThat(e.code()).isEqualTo(KvErrorCode.CLOSED)));
  }

  /** An engine of somebody else has the public API and nothing more. */
  @Test
  void usesPublicPackagesOnly() throws IOException {
    try (Stream<Path> files = Files.list(SOURCES)) {
      for (Path file : files.toList()) {
        assertThat(USED.matcher(Files.readString(file)).results().map(used -> used.group()))
            .as(file.toString())
            .allSatisfy(
                used -> assertThat(used).matches("io\\.kvreactive\\.((spi|testkit)\\.)?[A-Z].*"));
      }
    }
  }
}
