package io.kvreactive.index.remote.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.index.BatchException;
import io.kvreactive.index.IndexErrorCode;
import io.kvreactive.index.IndexException;
import io.kvreactive.index.QueryException;
import io.kvreactive.index.remote.internal.CallFailure.Kind;
import io.kvreactive.index.spi.DocumentMapper;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Converts problem details to the exceptions that embedded collections throw. Answers of other
 * servers, such as proxies, are UNAVAILABLE or follow from the status.
 */
final class ProblemReader {
  private static final int MAX_DETAIL_CHARS = 500;
  private static final long MAX_PAUSE_SECONDS = 60;

  /** The codes of the server itself. */
  private static final Map<String, KvErrorCode> OF_THE_SERVER =
      Map.of(
          "NOT_FOUND", KvErrorCode.UNSUPPORTED,
          "METHOD_NOT_ALLOWED", KvErrorCode.UNSUPPORTED,
          "NOT_ACCEPTABLE", KvErrorCode.UNSUPPORTED,
          "UNSUPPORTED_MEDIA_TYPE", KvErrorCode.UNSUPPORTED,
          "RATE_LIMITED", KvErrorCode.OVERLOADED,
          "STARTING", KvErrorCode.UNAVAILABLE,
          "GOING_AWAY", KvErrorCode.UNAVAILABLE,
          "CLOSED", KvErrorCode.UNAVAILABLE);

  private static final Map<String, IndexErrorCode> OF_REQUESTS =
      Map.of(
          "BAD_REQUEST", IndexErrorCode.INVALID_ARGUMENT,
          "NO_SUCH_DATABASE", IndexErrorCode.COLLECTION_NOT_FOUND,
          "CHECK_FAILED", IndexErrorCode.COLLECTION_EXISTS,
          "PAYLOAD_TOO_LARGE", IndexErrorCode.LIMIT_EXCEEDED);

  /** The codes of failures without an effect, after which the same request may succeed. */
  private static final Set<String> COME_AGAIN =
      Set.of("OVERLOADED", "RATE_LIMITED", "STARTING", "GOING_AWAY", "CLOSED");

  /** The codes of failures that another attempt would meet again. */
  private static final Set<String> PERMANENT = Set.of("UNSUPPORTED", "CORRUPT", "INTERNAL");

  /** The end of the detail of a load that has stored items. */
  private static final Pattern STORED = Pattern.compile("; items stored: 0*[1-9]\\d*$");

  private ProblemReader() {}

  /** Returns the failure for a response. */
  static CallFailure of(DatabaseAddress address, RestAnswer answer, DocumentMapper mapper) {
    JsonNode problem = parse(answer.body(), mapper);
    long pause = pauseMillis(answer.retryAfter());
    if (problem.path("code").isTextual()) {
      CallFailure failure = of(problem);
      boolean brief = problem.path("code").asText().equals("OVERLOADED"); // lasts milliseconds
      return new CallFailure(failure.kind(), failure.shown(), brief ? 0 : pause);
    }
    int status = answer.status();
    String detail = "status %d of %s%s".formatted(status, address, excerpt(answer.body()));
    KvErrorCode code =
        switch (status) {
          case 401 -> KvErrorCode.UNAUTHENTICATED;
          case 403 -> KvErrorCode.FORBIDDEN;
          case 429 -> KvErrorCode.OVERLOADED;
          case 413 -> KvErrorCode.LIMIT_EXCEEDED;
          default ->
              status >= 500 || status == 408 ? KvErrorCode.UNAVAILABLE : KvErrorCode.UNSUPPORTED;
        };
    Kind kind =
        status == 429 ? Kind.NOT_DONE : code == KvErrorCode.UNAVAILABLE ? Kind.UNKNOWN : Kind.FINAL;
    return new CallFailure(kind, new KvException(code, detail), pause);
  }

  private static JsonNode parse(Buffer body, DocumentMapper mapper) {
    try {
      return mapper.parse(body.getBytes());
    } catch (IndexException e) {
      return JsonNodeFactory.instance.missingNode(); // the error page of a proxy
    }
  }

  private static String excerpt(Buffer body) {
    String text = body.getString(0, Math.min(body.length(), MAX_DETAIL_CHARS)).strip();
    return text.isEmpty() ? "" : ": " + text;
  }

  static CallFailure of(JsonNode problem) {
    String name = problem.path("code").asText();
    String detail = problem.path("detail").asText();
    boolean isOfStore = problem.path("status").asInt() >= 500;
    Kind kind =
        PERMANENT.contains(name) || STORED.matcher(detail).find()
            ? Kind.FINAL
            : COME_AGAIN.contains(name)
                ? Kind.NOT_DONE
                : isOfStore && !problem.path("retryable").asBoolean() ? Kind.UNKNOWN : Kind.FINAL;
    return new CallFailure(kind, exception(problem, name, detail), 0);
  }

  private static RuntimeException exception(JsonNode problem, String name, String detail) {
    KvErrorCode ofStore = code(KvErrorCode.values(), name);
    IndexErrorCode ofIndex = code(IndexErrorCode.values(), name);
    if (name.equals("COMPACTED") && problem.path("oldest").isTextual()) {
      return compacted(detail, Versionstamp.parse(problem.path("oldest").asText()));
    }
    if (OF_THE_SERVER.containsKey(name)) {
      return new KvException(OF_THE_SERVER.getOrDefault(name, KvErrorCode.INTERNAL), detail);
    }
    if (OF_REQUESTS.containsKey(name)) {
      ofIndex = OF_REQUESTS.get(name);
    }
    boolean isOfAFeed = ofStore == KvErrorCode.INVALID_ARGUMENT && detail.startsWith("since");
    if (ofIndex == null || isOfAFeed) {
      return new KvException(ofStore == null ? KvErrorCode.INTERNAL : ofStore, detail);
    }
    JsonNode failed = problem.path("failedOperation");
    if (!failed.isInt()) {
      return index(ofIndex, problem, detail);
    }
    String prefix = "operation " + failed.intValue() + ": ";
    String own = detail.startsWith(prefix) ? detail.substring(prefix.length()) : detail;
    return new BatchException(failed.intValue(), index(ofIndex, problem, own));
  }

  private static IndexException index(IndexErrorCode code, JsonNode problem, String detail) {
    JsonNode place = problem.at("/errors/0");
    return place.path("location").isObject()
        ? new QueryException(
            code,
            place.path("code").asText(),
            detail,
            place.at("/location/start").asInt(),
            place.at("/location/end").asInt(),
            StreamSupport.stream(place.path("missingIndex").spliterator(), false)
                .map(JsonNode::asText)
                .toList())
        : new IndexException(code, detail);
  }

  private static KvException compacted(String detail, Versionstamp oldest) {
    String since = detail.replaceFirst("(?s)^since: ([0-9a-f]{20}).*", "$1");
    Versionstamp asked =
        since.length() == 20 && !since.equals(detail) ? Versionstamp.parse(since) : oldest;
    return detail.contains(" was lost ")
        ? KvException.lost(asked, oldest)
        : KvException.compacted(asked, oldest);
  }

  private static <E extends Enum<E>> @Nullable E code(E[] codes, String name) {
    for (E code : codes) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return null;
  }

  private static long pauseMillis(@Nullable String retryAfter) {
    if (retryAfter == null || !retryAfter.matches("[0-9]{1,9}")) {
      return 0;
    }
    return Math.min(MAX_PAUSE_SECONDS, Long.parseLong(retryAfter)) * 1000;
  }
}
