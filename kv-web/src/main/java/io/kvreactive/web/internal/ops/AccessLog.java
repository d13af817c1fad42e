package io.kvreactive.web.internal.ops;

import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.auth.Operation;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.RequestContext;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs a line for every request, at INFO under {@code access}; successful probes and files of the
 * explorer at DEBUG. A line has neither the query of a URI nor a path without a route, because both
 * may contain private data.
 */
final class AccessLog {
  private static final Logger LOG = LoggerFactory.getLogger("access");

  /** Routes of probes and of the explorer's files. */
  private static final Set<String> QUIET =
      Stream.of(
              Operation.LIVE,
              Operation.READY,
              Operation.METRICS,
              Operation.EXPLORER,
              Operation.EXPLORER_FILE)
          .map(Operation::path)
          .collect(Collectors.toUnmodifiableSet());

  private static final double NANOS_PER_MICRO = 1e3;
  private static final double MICROS_PER_MILLI = 1e3;

  private AccessLog() {}

  static void log(RoutingContext context, String route, int status, long nanos) {
    boolean quiet = QUIET.contains(route) && status < 400;
    LoggingEventBuilder line = quiet ? LOG.atDebug() : LOG.atInfo();
    RequestContext requestContext = RequestContext.of(context);
    double millis = Math.round(nanos / NANOS_PER_MICRO) / MICROS_PER_MILLI;
    line =
        line.addKeyValue("method", context.request().method().name())
            .addKeyValue("route", route)
            .addKeyValue("status", status)
            .addKeyValue("bytes", context.response().bytesWritten())
            .addKeyValue("ms", millis)
            .addKeyValue("requestId", requestContext.requestId());
    Grant grant = requestContext.grantIfAny();
    if (grant != null) {
      line = line.addKeyValue("token", grant.name());
    }
    Database database = requestContext.databaseIfAny();
    if (database != null) {
      line = line.addKeyValue("database", database.name());
    }
    String traceId = requestContext.trace().traceId();
    if (traceId != null) {
      line = line.addKeyValue("traceId", traceId);
    }
    line.log("request");
  }
}
