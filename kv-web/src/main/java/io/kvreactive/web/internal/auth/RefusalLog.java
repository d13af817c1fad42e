package io.kvreactive.web.internal.auth;

/**
 * The refusals of one server in its audit log: a caller must not be able to fill the disk, nor to
 * hide behind what another server in the same program refuses. Thread-safe.
 */
public final class RefusalLog {
  private static final int PER_SECOND = 20;

  private final LogSampler samples = new LogSampler(PER_SECOND);

  /**
   * An entry of the audit log. Of one kind, 20 in a second are logged, and then how many were not:
   * {@code unlogged}.
   *
   * @param event one of a fixed set
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
