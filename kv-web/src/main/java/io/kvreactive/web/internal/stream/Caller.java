package io.kvreactive.web.internal.stream;

import io.kvreactive.web.internal.auth.AuditEntry;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.database.Database;
import io.kvreactive.web.internal.http.FailureLog;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The client of a connection.
 *
 * @param database the database of the connection
 * @param grant the rights of the client
 * @param key the key under which the client's rate and memory are limited
 * @param requestId the id of the handshake, for logs and errors
 * @param done creates an entry of the audit log for an event of a write
 * @param refused creates an entry of the audit log for an event
 * @param failures the log of failed subscriptions
 * @param rate the rate limiter of messages: each call takes a permit and returns 0, or returns the
 *     nanoseconds until the next permit
 */
record Caller(
    Database database,
    Grant grant,
    String key,
    String requestId,
    Function<String, AuditEntry> done,
    Function<String, AuditEntry> refused,
    FailureLog failures,
    LongSupplier rate) {}
