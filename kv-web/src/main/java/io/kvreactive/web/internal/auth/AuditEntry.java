package io.kvreactive.web.internal.auth;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What those who look after a server may want to prove later: a log of its own, {@code audit}, with
 * fields. Holds neither tokens nor values; what callers sent is cut short and has no line breaks.
 */
public final class AuditEntry {
  private static final Logger LOG = LoggerFactory.getLogger("audit");
  private static final int MAX_LENGTH = 200;

  private @Nullable LoggingEventBuilder builder; // null: not to be logged

  private AuditEntry(@Nullable LoggingEventBuilder builder) {
    this.builder = builder;
  }

  private static AuditEntry of(LoggingEventBuilder builder, String event) {
    return new AuditEntry(builder.setMessage(event).addKeyValue("event", event));
  }

  /** Something that an administrator did. */
  public static AuditEntry done(String event) {
    return of(LOG.atInfo(), event);
  }

  /** Something that was refused; {@link RefusalLog} say whether it is logged. */
  static AuditEntry refused(String event) {
    return of(LOG.atWarn(), event);
  }

  /** An entry that is not logged. */
  static AuditEntry none() {
    return new AuditEntry(null);
  }

  /** Who did it. */
  public AuditEntry by(@Nullable Grant grant) {
    return grant == null ? this : with("token", grant.name());
  }

  /** With a field; nothing when the value is null. */
  public AuditEntry with(String name, @Nullable String value) {
    if (builder != null && value != null) {
      builder = builder.addKeyValue(name, clean(value));
    }
    return this;
  }

  /** Logs it. */
  public void log() {
    if (builder != null) {
      builder.log();
    }
  }

  /** Text of a caller as it may stand in a log. */
  static String clean(String text) {
    StringBuilder clean = new StringBuilder();
    for (int i = 0; i < text.length() && i < MAX_LENGTH; i++) {
      char c = text.charAt(i);
      boolean harmless = c >= ' ' && c != 0x7F && !(c >= 0x80 && c < 0xA0) && !breaks(c);
      clean.append(harmless ? c : '?');
    }
    return clean.toString();
  }

  private static boolean breaks(char c) {
    return c == '\u2028' || c == '\u2029' || Character.getType(c) == Character.FORMAT;
  }
}
