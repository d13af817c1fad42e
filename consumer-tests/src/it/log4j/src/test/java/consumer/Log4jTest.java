package consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.Kv;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.VertxBridge;
import io.kvreactive.web.KvRoutes;
import io.kvreactive.web.RoutesOptions;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.spi.SLF4JServiceProvider;

class Log4jTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir Path directory;

  private static final class Lines extends AbstractAppender {
    final List<String> seen = new CopyOnWriteArrayList<>();

    Lines() {
      super("lines", null, null, true, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      seen.add(event.getMessage().getFormattedMessage());
    }
  }

  @Test
  void mountsTheRoutesAndLogsToLog4j() {
    Lines lines = new Lines();
    lines.start();
    LoggerContext logging = LoggerContext.getContext(false);
    logging.getConfiguration().getRootLogger().addAppender(lines, Level.INFO, null);
    logging.getConfiguration().getRootLogger().setLevel(Level.INFO);
    logging.updateLoggers();

    Vertx vertx = Vertx.vertx();
    Kv kv = Kv.open(vertx, KvOptions.at(directory)).block(TIMEOUT);
    assertNotNull(kv);
    kv.set(KvKey.of("greeting"), "hello").block(TIMEOUT);
    assertEquals("hello", read(vertx, kv));
    kv.close().block(TIMEOUT);
    VertxBridge.mono(vertx::close).block(TIMEOUT);

    assertTrue(lines.seen.get(0).startsWith("opened " + directory), lines.seen::toString);
    assertTrue(lines.seen.contains("closed " + directory), lines.seen::toString);
  }

  /** Reads the greeting over HTTP. */
  private static String read(Vertx vertx, Kv kv) {
    Router router = Router.router(vertx);
    KvRoutes.mountUnauthenticated(vertx, router, kv, RoutesOptions.DEFAULT);
    return VertxBridge.mono(
            () ->
                vertx
                    .createHttpServer()
                    .requestHandler(router)
                    .listen(0, "127.0.0.1")
                    .compose(
                        server ->
                            vertx
                                .createHttpClient()
                                .request(
                                    HttpMethod.GET,
                                    server.actualPort(),
                                    "127.0.0.1",
                                    "/api/v1/entry?key=%5B%22greeting%22%5D")))
        .flatMap(request -> VertxBridge.mono(request::send))
        .flatMap(response -> VertxBridge.mono(response::body))
        .map(body -> body.toJsonObject().getString("value"))
        .block(TIMEOUT);
  }

  @Test
  void hasOneBindingAndOneVersionOfJackson() throws Exception {
    assertEquals(1, ServiceLoader.load(SLF4JServiceProvider.class).stream().count());
    Version databind = new ObjectMapper().version();
    assertEquals(
        databind.toString(), com.fasterxml.jackson.core.json.PackageVersion.VERSION.toString());
    Properties annotations = new Properties();
    try (InputStream pom =
        ObjectMapper.class.getResourceAsStream(
            "/META-INF/maven/com.fasterxml.jackson.core/jackson-annotations/pom.properties")) {
      annotations.load(pom);
    }
    String minor = databind.getMajorVersion() + "." + databind.getMinorVersion();
    assertTrue(annotations.getProperty("version").startsWith(minor), annotations::toString);
  }
}
