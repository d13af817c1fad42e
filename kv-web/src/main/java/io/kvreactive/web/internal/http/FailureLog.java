package io.kvreactive.web.internal.http;

import io.kvreactive.KvError;
import io.kvreactive.web.internal.auth.LogSampler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the failures of requests and streams that concern operators. The rate is limited, because
 * each caller can cause failures as fast as it makes requests. Thread-safe.
 */
public final class FailureLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailureLog.class);
  private static final int LINES_PER_SECOND = 5;
  private static final int TRACES_PER_SECOND = 1;
  private static final String DEFECT = "INTERNAL";

  private final LogSampler lines = new LogSampler(LINES_PER_SECOND);
  private final LogSampler traces = new LogSampler(TRACES_PER_SECOND);

  /**
   * Logs a failure in one line. At most 5 lines of a kind are logged per second; the next line has
   * the number of omitted lines as {@code unlogged}. A defect is logged with its stack trace, at
   * most once per second. A failure of a store, such as a full disk, has no stack trace, because
   * the store logs its own failure.
   *
   * @param subject the request or the subscription
   */
  public void log(String subject, Throwable failure) {
    boolean ofStore = failure instanceof KvError known && Problem.isOfStore(known.code());
    String kind = ofStore ? ((KvError) failure).code().name() : DEFECT;
    long unlogged = lines.take(kind);
    if (unlogged == LogSampler.SKIPPED) {
      return;
    }
    var line = LOG.atError();
    if (unlogged > 0) {
      line = line.addKeyValue("unlogged", unlogged);
    }
    if (!ofStore && traces.take(kind) != LogSampler.SKIPPED) {
      line = line.setCause(failure);
    }
    line.log("{} failed: {}", subject, String.valueOf(failure));
  }
}
