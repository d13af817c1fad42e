package io.kvreactive.web;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** Log events since the last call of {@link #begin}, of one logger or of level ERROR. */
public final class LogOf {
  private static final Queue<ILoggingEvent> EVENTS = new ConcurrentLinkedQueue<>();

  static {
    AppenderBase<ILoggingEvent> memory =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            EVENTS.add(event);
          }
        };
    memory.start();
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).addAppender(memory);
    ((Logger) LoggerFactory.getLogger("audit")).setLevel(Level.INFO);
    ((Logger) LoggerFactory.getLogger("access")).setLevel(Level.INFO);
  }

  private LogOf() {}

  public static void begin() {
    EVENTS.clear();
  }

  public static Stream<String> errors() {
    return EVENTS.stream()
        .filter(event -> event.getLevel() == Level.ERROR)
        .map(ILoggingEvent::getFormattedMessage);
  }

  /**
   * Returns all entries of level INFO and above, with their fields and the messages of their
   * exceptions.
   */
  public static Stream<String> all() {
    return EVENTS.stream()
        .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
        .map(
            event ->
                event.getLoggerName()
                    + " "
                    + event.getFormattedMessage()
                    + " "
                    + event.getKeyValuePairs()
                    + " "
                    + (event.getThrowableProxy() == null
                        ? ""
                        : event.getThrowableProxy().getMessage()));
  }

  /** Returns the entries of the audit log, as {@code name=value} joined by blanks. */
  public static Stream<String> audit() {
    return of("audit");
  }

  /** Returns the entries of the access log in the same form. */
  public static Stream<String> access() {
    return of("access");
  }

  private static Stream<String> of(String logger) {
    return EVENTS.stream()
        .filter(event -> event.getLoggerName().equals(logger))
        .map(
            event ->
                event.getKeyValuePairs().stream()
                    .map(pair -> pair.key + "=" + pair.value)
                    .collect(Collectors.joining(" ")));
  }
}
