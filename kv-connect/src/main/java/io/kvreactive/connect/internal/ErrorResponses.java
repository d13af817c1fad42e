package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.connect.internal.AttemptFailure.Kind;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts responses other than 200 to failures. Servers of this project answer {@code CODE:
 * detail}, and the code decides. For others, the status and the known messages of denokv decide.
 */
final class ErrorResponses {
  private static final Pattern CODED = Pattern.compile("(?s)([A-Z][A-Z0-9_]{2,39}): (.*)");
  private static final int MAX_DETAIL_CHARS = 500;
  private static final long MAX_PAUSE_SECONDS = 60;

  /** The codes that only servers use. */
  private static final Map<String, KvErrorCode> OF_THE_SERVER =
      Map.of(
          "BAD_REQUEST", KvErrorCode.INVALID_ARGUMENT,
          "NOT_FOUND", KvErrorCode.INVALID_ARGUMENT,
          "METHOD_NOT_ALLOWED", KvErrorCode.INVALID_ARGUMENT,
          "UNSUPPORTED_MEDIA_TYPE", KvErrorCode.INVALID_ARGUMENT,
          "PAYLOAD_TOO_LARGE", KvErrorCode.LIMIT_EXCEEDED,
          "RATE_LIMITED", KvErrorCode.OVERLOADED,
          "GOING_AWAY", KvErrorCode.UNAVAILABLE,
          "STARTING", KvErrorCode.UNAVAILABLE,
          "CLOSED", KvErrorCode.UNAVAILABLE);

  /** The codes of failures without an effect, after which a retry may succeed. */
  private static final List<String> COME_AGAIN =
      List.of("OVERLOADED", "RATE_LIMITED", "GOING_AWAY", "STARTING", "CLOSED");

  private ErrorResponses() {}

  /** Returns the failure of an attempt for a response. */
  static AttemptFailure of(URI uri, int status, MultiMap headers, Buffer body) {
    String text = text(headers, body);
    Matcher coded = CODED.matcher(text);
    AttemptFailure failure = coded.matches() ? coded(coded, status) : null;
    if (failure == null) {
      failure = byStatus(uri, status, text);
    }
    long pause = pauseMillis(headers.get("Retry-After"));
    boolean brief = text.startsWith("OVERLOADED: "); // a full mailbox drains in milliseconds
    return pause > 0 && !brief ? failure.withPause(pause) : failure;
  }

  /** Returns the text of a response, or the detail of problem+json. */
  private static String text(MultiMap headers, Buffer body) {
    String type = headers.get("Content-Type");
    if (type != null && type.toLowerCase(Locale.ROOT).contains("json")) {
      try {
        JsonObject problem = new JsonObject(body);
        if (problem.getValue("code") instanceof String code) {
          return cut(code + ": " + problem.getValue("detail"));
        }
      } catch (DecodeException e) {
        return cut(body.toString(StandardCharsets.UTF_8)); // not JSON
      }
    }
    return cut(body.toString(StandardCharsets.UTF_8));
  }

  private static String cut(String text) {
    String stripped = text.strip();
    return stripped.length() > MAX_DETAIL_CHARS
        ? stripped.substring(0, MAX_DETAIL_CHARS) + "…"
        : stripped;
  }

  private static @Nullable AttemptFailure coded(Matcher coded, int status) {
    String name = coded.group(1);
    KvErrorCode code = OF_THE_SERVER.getOrDefault(name, known(name));
    if (code == null) {
      return null;
    }
    Kind kind;
    if (code == KvErrorCode.UNAUTHENTICATED || isOfAnotherHistory(name, coded.group(2))) {
      kind = Kind.STALE;
    } else if (COME_AGAIN.contains(name)) {
      kind = Kind.NOT_DONE;
    } else if (code.retryable() || status < 500) {
      kind = Kind.FINAL;
    } else {
      kind = Kind.UNKNOWN;
    }
    return AttemptFailure.of(kind, new KvException(code, coded.group(2)));
  }

  /** Returns true if the database was restored since the client received its id. */
  private static boolean isOfAnotherHistory(String name, String detail) {
    return name.equals("BAD_REQUEST")
        && (detail.startsWith(ConnectProtocol.DATABASE_HEADER)
            || detail.startsWith(ConnectProtocol.DOMAIN_HEADER));
  }

  private static @Nullable KvErrorCode known(String name) {
    for (KvErrorCode code : KvErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return null;
  }

  private static AttemptFailure byStatus(URI uri, int status, String text) {
    KvException shown =
        new KvException(
            guess(status, text),
            "status %d of %s%s".formatted(status, uri, text.isEmpty() ? "" : ": " + text));
    return AttemptFailure.of(kind(status), shown);
  }

  private static Kind kind(int status) {
    return switch (status) {
      case 401 -> Kind.STALE;
      case 429 -> Kind.NOT_DONE;
      case 408 -> Kind.UNKNOWN;
      default -> status >= 500 && status != 501 ? Kind.UNKNOWN : Kind.FINAL;
    };
  }

  private static KvErrorCode guess(int status, String text) {
    return switch (status) {
      case 400, 422 -> guess(text.toLowerCase(Locale.ROOT));
      case 401 -> KvErrorCode.UNAUTHENTICATED;
      case 403 -> KvErrorCode.FORBIDDEN;
      case 413 -> KvErrorCode.LIMIT_EXCEEDED;
      case 429, 503 -> KvErrorCode.OVERLOADED;
      case 501 -> KvErrorCode.UNSUPPORTED;
      default ->
          status >= 400 && status < 500 && status != 408
              ? KvErrorCode.INVALID_ARGUMENT
              : KvErrorCode.UNAVAILABLE;
    };
  }

  /** Guesses the code from the messages of denokv. */
  private static KvErrorCode guess(String text) {
    if (text.contains("range limit")) {
      return KvErrorCode.OUT_OF_RANGE;
    }
    if (text.contains("non-u64") || text.contains("cannot sum") || text.contains("value type")) {
      return KvErrorCode.TYPE_MISMATCH;
    }
    if (text.contains("too large") || text.contains("too long") || text.contains("too many")) {
      return KvErrorCode.LIMIT_EXCEEDED;
    }
    return text.contains("read-only") || text.contains("read only")
        ? KvErrorCode.FORBIDDEN
        : KvErrorCode.INVALID_ARGUMENT;
  }

  private static long pauseMillis(@Nullable String retryAfter) {
    if (retryAfter == null || !retryAfter.matches("[0-9]{1,9}")) {
      return 0;
    }
    return Math.min(MAX_PAUSE_SECONDS, Long.parseLong(retryAfter)) * 1000;
  }
}
