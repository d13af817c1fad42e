package io.kvreactive.postgres.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.vertx.core.VertxException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.util.concurrent.TimeoutException;

/** The meaning of failures of the PostgreSQL client, by SQLSTATE. */
final class PgFailure {
  private PgFailure() {}

  /** Returns true if this connection is lost or unusable, and another one may work. */
  static boolean isOfConnection(Throwable failure) {
    if (failure instanceof PgException known) {
      String state = known.getSqlState();
      return state.startsWith("08") // connection exception
          || state.startsWith("57P0") // shutdown, crash, cannot connect now, dropped, idle
          || state.equals("53300") // too many connections
          || state.equals("25006") // read-only: the server is no longer the primary
          || state.equals("25P03"); // idle in transaction
    }
    return failure instanceof ClosedConnectionException
        || failure instanceof IOException // ClosedChannelException and failures to connect
        || failure instanceof VertxException // no TLS, or another certificate
        || failure instanceof TimeoutException
        || failure instanceof KnownHead.StaleServerException;
  }

  /** Returns true if the same transaction may succeed when it is repeated. */
  static boolean isOfConcurrency(Throwable failure) {
    return failure instanceof PgException known
        && (known.getSqlState().equals("40001") || known.getSqlState().equals("40P01"));
  }

  /** Returns true if a statement was rolled back by a temporary condition. */
  static boolean isTransient(Throwable failure) {
    return isOfConnection(failure) || isOfConcurrency(failure);
  }

  /** Returns the exception for users. */
  static KvException shown(Throwable failure) {
    if (failure instanceof KvException known) {
      return known;
    }
    if (failure instanceof PgException known) {
      String message = "PostgreSQL: " + known.getErrorMessage() + " (" + known.getSqlState() + ")";
      return new KvException(code(known.getSqlState()), message, failure);
    }
    if (isOfConnection(failure)) {
      return new KvException(
          KvErrorCode.UNAVAILABLE,
          "PostgreSQL cannot be reached: " + failure.getMessage(),
          failure);
    }
    return new KvException(KvErrorCode.INTERNAL, "the PostgreSQL engine: " + failure, failure);
  }

  private static KvErrorCode code(String state) {
    return switch (state) {
      case "53100" -> KvErrorCode.DISK_FULL;
      case "53000", "53200", "53300", "53400", "55P03", "57014" -> KvErrorCode.OVERLOADED;
      case "42501" -> KvErrorCode.FORBIDDEN;
      case "28000", "28P01" -> KvErrorCode.UNAUTHENTICATED;
      case "58030" -> KvErrorCode.IO_FAILED;
      case "XX001", "XX002" -> KvErrorCode.CORRUPT;
      case "3D000" -> KvErrorCode.INVALID_ARGUMENT; // no such database
      case "40001", "40P01" -> KvErrorCode.OVERLOADED;
      default ->
          state.startsWith("08") || state.startsWith("57P") || state.equals("25006")
              ? KvErrorCode.UNAVAILABLE
              : KvErrorCode.INTERNAL;
    };
  }
}
