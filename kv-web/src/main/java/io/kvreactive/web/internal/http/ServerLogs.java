package io.kvreactive.web.internal.http;

import io.kvreactive.web.internal.auth.RefusalLog;

/**
 * The rate-limited logs of one server.
 *
 * @param refusals the rejected requests, in the audit log
 * @param failures the failures of requests and streams that concern operators
 */
public record ServerLogs(RefusalLog refusals, FailureLog failures) {
  public ServerLogs() {
    this(new RefusalLog(), new FailureLog());
  }
}
