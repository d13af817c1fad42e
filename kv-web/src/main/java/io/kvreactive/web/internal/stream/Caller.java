package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.FailureLog;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Who is at the other end of a connection.
 *
 * @param database that is asked
 * @param grant what may be asked
 * @param key by which the caller's use of the server is limited
 * @param requestId of the handshake, for logs and errors
 * @param refused begins an entry of the audit log, by its event
 * @param failures logs failures of subscriptions
 * @param rate counts a message, and tells 0, or the nanoseconds until there may be one
 */
record Caller(
    Database database,
    Grant grant,
    String key,
    String requestId,
    Function<String, AuditEntry> refused,
    FailureLog failures,
    LongSupplier rate) {}
