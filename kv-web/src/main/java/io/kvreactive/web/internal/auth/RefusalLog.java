package io.kvreactive.web.internal.auth;

/**
 * The rejected requests of one server in its audit log. The rate is limited per server: a caller
 * must neither fill the disk nor hide behind the rejections of another server in the same program.
 * Thread-safe.
 */
public final class RefusalLog {
  private static final int PER_SECOND = 20;

  private final LogSampler samples = new LogSampler(PER_SECOND);

  /**
   * Returns an entry of the audit log. At most 20 entries of an event are logged per second. The
   * next logged entry has the number of omitted entries in the field {@code unlogged}.
   *
   * @param event the event, one of a fixed set
   */
  public AuditEntry refused(String event) {
    long unlogged = samples.take(event);
    if (unlogged == LogSampler.SKIPPED) {
      return AuditEntry.none();
    }
    AuditEntry audit = AuditEntry.refused(event);
    return unlogged == 0 ? audit : audit.with("unlogged", Long.toString(unlogged));
  }
}
