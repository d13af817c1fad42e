package io.kvreactive.server.serve;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import java.nio.charset.StandardCharsets;
import org.slf4j.LoggerFactory;

/**
 * Configures the logging of the command, on standard error. Configured by code, because a file on
 * the class path would also configure programs that embed the library. A file in {@code
 * -Dlogback.configurationFile} takes precedence.
 */
public final class LogSetup {
  /** The format of log lines. */
  enum Format {
    /** Text for people. */
    TEXT,
    /** One JSON object per line. */
    JSON
  }

  /** The minimum level of logged events. */
  enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR;

    ch.qos.logback.classic.Level logback() {
      return ch.qos.logback.classic.Level.toLevel(name());
    }
  }

  private static final String PATTERN =
      "%d{\"yyyy-MM-dd'T'HH:mm:ss.SSSXXX\"} %-5level %logger{24} %replace(%msg"
          + " %kvp{NONE}){'[\\p{Cntrl}\\x80-\\x9F\\u061C\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069]+',"
          + " ' '}%n";

  private LogSetup() {}

  /** Configures logging for commands with output: warnings and errors only, as text. */
  public static void quiet() {
    configure(Format.TEXT, Level.WARN);
  }

  static void configure(Format format, Level level) {
    if (System.getProperty("logback.configurationFile") != null) {
      return;
    }
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
    console.setContext(context);
    console.setTarget("System.err");
    console.setEncoder(format == Format.JSON ? json(context) : text(context));
    console.start();
    ch.qos.logback.classic.Logger root = context.getLogger("ROOT");
    root.addAppender(console);
    ch.qos.logback.classic.Level wanted = level.logback();
    root.setLevel( // DEBUG applies to this project, not to libraries
        wanted.isGreaterOrEqual(ch.qos.logback.classic.Level.INFO)
            ? wanted
            : ch.qos.logback.classic.Level.INFO);
    context.getLogger("io.kvreactive").setLevel(wanted);
    context.getLogger("access").setLevel(wanted);
    context.getLogger("io.netty").setLevel(ch.qos.logback.classic.Level.WARN);
    // a command reports that its WebSocket was refused
    context
        .getLogger("io.vertx.core.http.impl.HttpClientConnectionInternal")
        .setLevel(ch.qos.logback.classic.Level.ERROR);
    // each instance of the server registers the same gauges, which causes a warning
    context
        .getLogger("io.micrometer.core.instrument.MeterRegistry")
        .setLevel(ch.qos.logback.classic.Level.ERROR);
  }

  private static Encoder<ILoggingEvent> text(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.start();
    return encoder;
  }

  private static Encoder<ILoggingEvent> json(LoggerContext context) {
    JsonEncoder encoder = new JsonEncoder();
    encoder.setContext(context);
    encoder.setWithSequenceNumber(false);
    encoder.setWithNanoseconds(false);
    encoder.setWithContext(false);
    encoder.setWithFormattedMessage(true);
    encoder.setWithMessage(false);
    encoder.setWithArguments(false);
    encoder.start();
    return encoder;
  }
}
