package io.kvreactive.web.internal.auth;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * An entry of the audit log {@code audit}, a separate log with fields. It contains neither tokens
 * nor values. Text of callers is truncated and has no line breaks.
 */
public final class AuditEntry {
  private static final Logger LOG = LoggerFactory.getLogger("audit");
  private static final int MAX_LENGTH = 200;

  private @Nullable LoggingEventBuilder builder; // null if the entry is not logged

  private AuditEntry(@Nullable LoggingEventBuilder builder) {
    this.builder = builder;
  }

  private static AuditEntry of(LoggingEventBuilder builder, String event) {
    return new AuditEntry(builder.setMessage(event).addKeyValue("event", event));
  }

  /** Returns an entry for an action of an administrator, at level INFO. */
  public static AuditEntry done(String event) {
    return of(LOG.atInfo(), event);
  }

  /**
   * Returns an entry for a rejected request, at level WARN. {@link RefusalLog} decides whether it
   * is logged.
   */
  static AuditEntry refused(String event) {
    return of(LOG.atWarn(), event);
  }

  /** Returns an entry that is not logged. */
  static AuditEntry none() {
    return new AuditEntry(null);
  }

  /** Adds the name of the caller's token, if the caller is authenticated. */
  public AuditEntry by(@Nullable Grant grant) {
    return grant == null ? this : with("token", grant.name());
  }

  /** Adds a field, unless its value is null. The value is cleaned as by {@link #clean}. */
  public AuditEntry with(String name, @Nullable String value) {
    if (builder != null && value != null) {
      builder = builder.addKeyValue(name, clean(value));
    }
    return this;
  }

  /** Logs the entry. */
  public void log() {
    if (builder != null) {
      builder.log();
    }
  }

  /**
   * Returns at most 200 characters of a caller's text, with control and format characters and line
   * breaks replaced by {@code ?}.
   */
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
