package io.kvreactive.web.internal.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kvreactive.KvError;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.QueryException;
import io.kvreactive.web.WebErrorCode;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.StreamResetException;
import io.vertx.ext.web.handler.HttpException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error for callers: problem details of RFC 9457, with a stable code. Information for operators
 * only is logged and never part of it.
 *
 * @param status the status of the response
 * @param code the stable code
 * @param detail the offending value and the expected one
 * @param retryable true if the same request may succeed later
 * @param compacted the missing changes, for COMPACTED
 * @param place the position in the query, for an error in a query
 * @param failedOperation the index of the operation of a batch that failed, from 0
 */
public record Problem(
    int status,
    String code,
    String detail,
    boolean retryable,
    @Nullable Compacted compacted,
    @Nullable ObjectNode place,
    @Nullable Integer failedOperation) {
  public static final String CONTENT_TYPE = "application/problem+json";

  /** The place of a failure in a load or an import. */
  private static final Pattern LINE = Pattern.compile("(?:from )?line \\d+(?: on)?: ");

  /**
   * The changes that are missing.
   *
   * @param since the versionstamp after which changes are missing
   * @param oldest the oldest versionstamp that is kept
   * @param isLost true if the requested versionstamp was lost in a crash or a restore
   */
  public record Compacted(Versionstamp since, Versionstamp oldest, boolean isLost) {
    private static @Nullable Compacted of(Throwable failure) {
      if (!(failure instanceof KvException known)) {
        return null;
      }
      Versionstamp since = known.since();
      Versionstamp oldest = known.oldest();
      return since == null || oldest == null ? null : new Compacted(since, oldest, known.isLost());
    }
  }

  Problem(
      int status, String code, String detail, boolean retryable, @Nullable Compacted compacted) {
    this(status, code, detail, retryable, compacted, null, null);
  }

  /** Returns the problem that a failure shows to the caller. */
  public static Problem of(Throwable failure) {
    if (failure instanceof HttpException http) {
      return ofStatus(http.getStatusCode());
    }
    if (!(failure instanceof KvError error)) {
      return internal();
    }
    int status = status(error.code());
    boolean ofStore = isOfStore(error.code());
    if (status == 500 && !ofStore) {
      return internal();
    }
    return new Problem(
        status,
        error.code().name(),
        ofStore ? "the store has failed; the server's log has more" : error.detail(),
        error.retryable(),
        Compacted.of(failure),
        reason(failure) instanceof QueryException query ? location(query) : null,
        failedOperation(failure));
  }

  private static @Nullable Integer failedOperation(Throwable failure) {
    if (failure instanceof BatchOperationException malformed) {
      return malformed.failedOperation();
    }
    return failure instanceof BatchException batch ? batch.failedOperation() : null;
  }

  /** Returns the failure, or the error of the operation that failed in a batch. */
  private static @Nullable Throwable reason(Throwable failure) {
    return failure instanceof BatchException batch ? batch.getCause() : failure;
  }

  /**
   * Returns the problem for a caller without READ access. Its text describes the request and
   * definitions, and no stored content.
   */
  public static Problem withoutContent(Throwable failure) {
    Problem problem = of(failure);
    String text = textWithoutContent(failure);
    if (text == null) {
      return problem;
    }
    var line = LINE.matcher(problem.detail());
    return new Problem(
        problem.status(),
        problem.code(),
        (line.lookingAt() ? line.group() : "") + text,
        problem.retryable(),
        problem.compacted());
  }

  /**
   * Returns the text for a code whose own details may contain stored content; null for other codes.
   */
  private static @Nullable String textWithoutContent(Throwable failure) {
    if (failure instanceof DocumentException known) {
      return switch (known.code()) {
        case ETAG_MISMATCH -> "the item does not exist, or has a different etag";
        case ITEM_EXISTS -> "the item exists, or another one with the same unique values";
        case INVALID_PATCH ->
            "the patch cannot be applied to the item (expected: READ access, to see the reason)";
        case ITEM_TOO_LARGE ->
            known.getCause() instanceof KvException // of the item before, too
                ? "the item with its index entries does not fit into one commit"
                : null;
        default -> null;
      };
    }
    if (failure instanceof KvException known) {
      return switch (known.code()) {
        case TYPE_MISMATCH -> "the value of a key has a type that the operation does not support";
        case UNREADABLE_VALUE -> "the value of a key cannot be read";
        default -> null;
      };
    }
    return null;
  }

  private static ObjectNode location(QueryException query) {
    ObjectNode error = JsonNodeFactory.instance.objectNode().put("severity", "Error");
    error.putObject("location").put("start", query.start()).put("end", query.end());
    error.put("code", query.detailCode()).put("message", query.detail());
    if (!query.missingIndex().isEmpty()) {
      query.missingIndex().forEach(error.putArray("missingIndex")::add);
    }
    return error;
  }

  /** Returns the problem for an error of the server itself. */
  public static Problem of(WebErrorCode code, String detail) {
    return new Problem(code.status(), code.name(), detail, code.retryable(), null);
  }

  /** Returns the problem for a status by which Vert.x Web fails a request. */
  public static Problem ofStatus(int status) {
    for (WebErrorCode code : WebErrorCode.values()) {
      if (code.status() == status) {
        return of(code, text(code));
      }
    }
    return status >= 400 && status < 500
        ? new Problem(status, WebErrorCode.BAD_REQUEST.name(), "status " + status, false, null)
        : internal();
  }

  private static String text(WebErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> "the resource does not exist";
      case NOT_ACCEPTABLE -> "none of the accepted types is available";
      case METHOD_NOT_ALLOWED -> "the route does not support this method";
      case PAYLOAD_TOO_LARGE -> "the body is larger than the maximum of this server";
      default -> code.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    };
  }

  private static Problem internal() {
    return new Problem(
        500, KvErrorCode.INTERNAL.name(), "a defect of the server; its log has more", false, null);
  }

  /** Returns true for a failure of the store, whose details name files of the server. */
  public static boolean isOfStore(KvError.Code code) {
    return code == KvErrorCode.IO_FAILED
        || code == KvErrorCode.DISK_FULL
        || code == KvErrorCode.CORRUPT
        || code == KvErrorCode.LOCKED;
  }

  /**
   * Returns true if the failure must be logged: the caller does not get all details, or the server
   * is at fault.
   */
  public boolean forOperators() {
    return status == 500 || hidesDetail();
  }

  private boolean hidesDetail() {
    return Arrays.stream(KvErrorCode.values())
        .anyMatch(known -> isOfStore(known) && known.name().equals(code));
  }

  /** Returns true if the failure only means that the caller has disconnected. */
  public static boolean isGone(Throwable failure) {
    return failure instanceof HttpClosedException
        || failure instanceof StreamResetException // over HTTP/2 he takes back one request
        || failure instanceof ClosedChannelException
        || failure instanceof SocketException;
  }

  private static int status(KvError.Code code) {
    if (code instanceof KvErrorCode known) {
      return status(known);
    }
    if (code instanceof DocumentErrorCode known) {
      return status(known);
    }
    return code instanceof WebErrorCode known ? known.status() : 500;
  }

  private static int status(KvErrorCode code) {
    return switch (code) {
      case INVALID_KEY,
          INVALID_RANGE,
          INVALID_CURSOR,
          INVALID_VERSIONSTAMP,
          INVALID_VALUE,
          INVALID_ARGUMENT,
          LIMIT_EXCEEDED,
          TYPE_MISMATCH,
          OUT_OF_RANGE,
          UNREADABLE_VALUE ->
          400;
      case UNAUTHENTICATED -> 401;
      case FORBIDDEN -> 403;
      case NO_SUCH_STORE -> 404;
      case CONFLICT, LEASE_LOST, NAME_TAKEN, LOCKED -> 409;
      case COMPACTED -> 410;
      case UNSUPPORTED -> 501;
      case OVERLOADED, CLOSED, SNAPSHOT_TOO_OLD, UNAVAILABLE -> 503;
      case DISK_FULL -> 507;
      case CORRUPT, IO_FAILED, INTERNAL -> 500;
    };
  }

  private static int status(DocumentErrorCode code) {
    return switch (code) {
      case COLLECTION_NOT_FOUND, ITEM_NOT_FOUND -> 404;
      case COLLECTION_EXISTS, ITEM_EXISTS -> 409;
      case ETAG_MISMATCH, CONDITION_NOT_MET -> 412;
      case ITEM_TOO_LARGE -> 413;
      case INVALID_QUERY,
          ORDER_NOT_INDEXED,
          SCAN_NOT_ENABLED,
          INVALID_POLICY,
          INVALID_PATH,
          NOT_CHANGEABLE,
          INVALID_ITEM,
          INVALID_CONTINUATION,
          QUERY_BUDGET_EXCEEDED,
          LIMIT_EXCEEDED,
          INVALID_PATCH,
          INVALID_ARGUMENT ->
          400;
    };
  }

  /** Returns the body of the response. */
  public ObjectNode toJson(String requestId) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("type", "about:blank");
    json.put("title", code);
    json.put("status", status);
    json.put("code", code);
    json.put("detail", detail);
    json.put("retryable", retryable);
    json.put("requestId", requestId);
    if (compacted != null) {
      json.put("since", compacted.since().toString());
      json.put("oldest", compacted.oldest().toString());
      json.put("lost", compacted.isLost());
    }
    if (failedOperation != null) {
      json.put("failedOperation", failedOperation);
    }
    if (place != null) {
      json.putArray("errors").add(place);
    }
    return json;
  }
}
