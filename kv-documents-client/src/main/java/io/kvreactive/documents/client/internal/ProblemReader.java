package io.kvreactive.documents.client.internal;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.Versionstamp;
import io.kvreactive.documents.BatchException;
import io.kvreactive.documents.DocumentErrorCode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.QueryException;
import io.kvreactive.http.client.AttemptFailure;
import io.kvreactive.http.client.AttemptFailure.Kind;
import io.kvreactive.http.client.ServerProblem;
import io.kvreactive.http.client.ServerUrls;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Converts problem details to the exceptions that embedded collections throw. Answers of other
 * servers, such as proxies, are UNAVAILABLE or follow from the status.
 */
final class ProblemReader {
  /** The codes of requests that the server does not know. */
  private static final Set<String> UNKNOWN_REQUEST =
      Set.of("NOT_FOUND", "METHOD_NOT_ALLOWED", "NOT_ACCEPTABLE", "UNSUPPORTED_MEDIA_TYPE");

  private static final Map<String, DocumentErrorCode> OF_REQUESTS =
      Map.of(
          "BAD_REQUEST", DocumentErrorCode.INVALID_ARGUMENT,
          "NO_SUCH_DATABASE", DocumentErrorCode.COLLECTION_NOT_FOUND,
          "CHECK_FAILED", DocumentErrorCode.COLLECTION_EXISTS,
          "PAYLOAD_TOO_LARGE", DocumentErrorCode.LIMIT_EXCEEDED);

  /** The codes of failures that another attempt would meet again. */
  private static final Set<String> PERMANENT = Set.of("UNSUPPORTED", "CORRUPT", "INTERNAL");

  /** The end of the detail of a load that has stored items. */
  private static final Pattern STORED = Pattern.compile("; items stored: 0*[1-9]\\d*$");

  private ProblemReader() {}

  /** Returns the failure for an error of the server at an address. */
  static AttemptFailure of(ServerProblem problem, URI address) {
    return problem.code() == null
        ? problem.byStatus(
            ServerUrls.origin(address),
            problem.status() >= 500 && problem.status() != 501 || problem.status() == 408
                ? KvErrorCode.UNAVAILABLE
                : KvErrorCode.UNSUPPORTED)
        : of(problem, problem.code());
  }

  private static AttemptFailure of(ServerProblem problem, String name) {
    boolean isPermanent = PERMANENT.contains(name) || STORED.matcher(problem.detail()).find();
    boolean isOfStore = problem.status() >= 500 && !problem.json().path("retryable").asBoolean();
    Kind kind =
        isPermanent
            ? Kind.FINAL
            : problem.isTransient() ? Kind.NOT_DONE : isOfStore ? Kind.UNKNOWN : Kind.FINAL;
    return new AttemptFailure(kind, exception(problem, name), problem.pauseMillis());
  }

  private static RuntimeException exception(ServerProblem problem, String name) {
    JsonNode json = problem.json();
    String detail = problem.detail();
    if (name.equals("COMPACTED") && json.path("oldest").isTextual()) {
      Versionstamp oldest = Versionstamp.parse(json.path("oldest").asText());
      Versionstamp since = // absent from servers before 0.1.0
          json.path("since").isTextual() ? Versionstamp.parse(json.path("since").asText()) : oldest;
      return json.path("lost").asBoolean()
          ? KvException.lost(since, oldest)
          : KvException.compacted(since, oldest);
    }
    KvErrorCode ofStore =
        UNKNOWN_REQUEST.contains(name) ? KvErrorCode.UNSUPPORTED : problem.storeCode();
    DocumentErrorCode ofIndex =
        OF_REQUESTS.getOrDefault(name, ServerProblem.code(DocumentErrorCode.values(), name));
    boolean isOfAFeed = ofStore == KvErrorCode.INVALID_ARGUMENT && detail.startsWith("since");
    if (ofIndex == null || isOfAFeed) {
      return new KvException(ofStore == null ? KvErrorCode.INTERNAL : ofStore, detail);
    }
    JsonNode failed = json.path("failedOperation");
    if (!failed.isInt()) {
      return index(ofIndex, json, detail);
    }
    String prefix = "operation " + failed.intValue() + ": ";
    String own = detail.startsWith(prefix) ? detail.substring(prefix.length()) : detail;
    return new BatchException(failed.intValue(), index(ofIndex, json, own));
  }

  private static DocumentException index(DocumentErrorCode code, JsonNode problem, String detail) {
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
        : new DocumentException(code, detail);
  }
}
