package io.kvreactive.connect.internal;

import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.connect.ConnectProtocol;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.HttpAnswer;
import io.kvreactive.http.client.ServerProblem;
import java.net.URI;
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

  /** The codes of requests that are not those of this protocol. */
  private static final Map<String, KvErrorCode> OF_REQUESTS =
      Map.of(
          "BAD_REQUEST", KvErrorCode.INVALID_ARGUMENT,
          "NOT_FOUND", KvErrorCode.INVALID_ARGUMENT,
          "METHOD_NOT_ALLOWED", KvErrorCode.INVALID_ARGUMENT,
          "UNSUPPORTED_MEDIA_TYPE", KvErrorCode.INVALID_ARGUMENT,
          "PAYLOAD_TOO_LARGE", KvErrorCode.LIMIT_EXCEEDED);

  private ErrorResponses() {}

  /** Returns the failure of an attempt for a response. */
  static AttemptFailure of(URI uri, HttpAnswer answer) {
    ServerProblem problem = ServerProblem.of(answer);
    Matcher coded = CODED.matcher(problem.text());
    if (coded.matches()) {
      problem = problem.with(coded.group(1), coded.group(2));
    }
    KvErrorCode code = code(problem);
    return code == null
        ? byStatus(uri, problem)
        : new AttemptFailure(
            kind(problem, code), new KvException(code, problem.detail()), problem.pauseMillis());
  }

  private static @Nullable KvErrorCode code(ServerProblem problem) {
    KvErrorCode ofRequest = problem.code() == null ? null : OF_REQUESTS.get(problem.code());
    return ofRequest == null ? problem.storeCode() : ofRequest;
  }

  private static Kind kind(ServerProblem problem, KvErrorCode code) {
    if (code == KvErrorCode.UNAUTHENTICATED || isOfAnotherHistory(problem)) {
      return Kind.STALE;
    }
    if (problem.isTransient()) {
      return Kind.NOT_DONE;
    }
    return code.retryable() || problem.status() < 500 ? Kind.FINAL : Kind.UNKNOWN;
  }

  /** Returns true if the database was restored since the client received its id. */
  private static boolean isOfAnotherHistory(ServerProblem problem) {
    return "BAD_REQUEST".equals(problem.code())
        && (problem.detail().startsWith(ConnectProtocol.DATABASE_HEADER)
            || problem.detail().startsWith(ConnectProtocol.DOMAIN_HEADER));
  }

  private static AttemptFailure byStatus(URI uri, ServerProblem problem) {
    AttemptFailure failure =
        problem.byStatus(uri.toString(), guess(problem.status(), problem.text()));
    return problem.status() == 401
        ? new AttemptFailure(Kind.STALE, failure.shown(), failure.pauseMillis())
        : failure;
  }

  private static KvErrorCode guess(int status, String text) {
    return switch (status) {
      case 400, 422 -> guess(text.toLowerCase(Locale.ROOT));
      case 503 -> KvErrorCode.OVERLOADED;
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
}
