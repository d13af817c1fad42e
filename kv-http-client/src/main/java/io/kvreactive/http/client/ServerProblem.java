package io.kvreactive.http.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.http.client.AttemptFailure.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The error that a server has answered: problem details of this project, or any text of another
 * server or a proxy.
 *
 * @param code the code of the problem; null for any other text
 * @param detail the detail of the problem, or the beginning of the text
 * @param json the text as a JSON object; missing for any other text
 * @param retryAfterMillis the pause of the header {@code Retry-After}, at most 60 s; 0 without one
 */
public record ServerProblem(
    int status, @Nullable String code, String detail, JsonNode json, long retryAfterMillis) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MAX_TEXT_CHARS = 500;
  private static final long MAX_PAUSE_SECONDS = 60;

  /** The codes of failures without an effect, after which the same request may succeed. */
  private static final Set<String> TRANSIENT =
      Set.of("OVERLOADED", "RATE_LIMITED", "STARTING", "GOING_AWAY", "CLOSED");

  /** The codes of the server itself that have an equivalent. */
  private static final Map<String, KvErrorCode> OF_THE_SERVER =
      Map.of(
          "RATE_LIMITED", KvErrorCode.OVERLOADED,
          "STARTING", KvErrorCode.UNAVAILABLE,
          "GOING_AWAY", KvErrorCode.UNAVAILABLE,
          "CLOSED", KvErrorCode.UNAVAILABLE);

  /** Reads a response. */
  public static ServerProblem of(HttpAnswer answer) {
    String text = answer.body().toString(StandardCharsets.UTF_8);
    return of(answer.status(), answer.headers().get("Retry-After"), text);
  }

  /**
   * Reads a response.
   *
   * @param retryAfter the header {@code Retry-After}, or null
   * @param text the body
   */
  public static ServerProblem of(int status, @Nullable String retryAfter, String text) {
    JsonNode json = parse(text);
    return json.path("code").isTextual()
        ? of(status, json, millis(retryAfter))
        : new ServerProblem(
            status,
            null,
            excerpt(text),
            json.isObject() ? json : MissingNode.getInstance(),
            millis(retryAfter));
  }

  /** Reads problem details in a message or a line of a response. */
  public static ServerProblem of(JsonNode problem) {
    return of(problem.path("status").asInt(), problem, 0);
  }

  private static ServerProblem of(int status, JsonNode problem, long pause) {
    return new ServerProblem(
        status, problem.path("code").asText(), problem.path("detail").asText(), problem, pause);
  }

  /** Returns this problem with a code and a detail that its text has. */
  public ServerProblem with(String newCode, String newDetail) {
    return new ServerProblem(status, newCode, newDetail, json, retryAfterMillis);
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance(); // such as the error page of a proxy
    }
  }

  private static long millis(@Nullable String retryAfter) {
    return retryAfter != null && retryAfter.matches("[0-9]{1,9}")
        ? Math.min(MAX_PAUSE_SECONDS, Long.parseLong(retryAfter)) * 1000
        : 0;
  }

  /** Returns the beginning of a text, for messages. */
  private static String excerpt(String text) {
    String stripped = text.strip();
    return stripped.length() > MAX_TEXT_CHARS
        ? stripped.substring(0, MAX_TEXT_CHARS) + "…"
        : stripped;
  }

  /** Returns the text for a message: the code, if there is one, and the detail. */
  public String text() {
    return code == null ? detail : excerpt(code + ": " + detail);
  }

  /** Returns true if the request had no effect and may succeed when it is repeated. */
  public boolean isTransient() {
    return code == null ? status == 429 : TRANSIENT.contains(code);
  }

  /** Returns the pause before another attempt: none for OVERLOADED, which lasts milliseconds. */
  public long pauseMillis() {
    return "OVERLOADED".equals(code) ? 0 : retryAfterMillis;
  }

  /** Returns the code of the store that a problem's code means; null if there is none. */
  public @Nullable KvErrorCode storeCode() {
    if (code == null) {
      return null;
    }
    KvErrorCode equivalent = OF_THE_SERVER.get(code);
    return equivalent != null ? equivalent : code(KvErrorCode.values(), code);
  }

  /** Returns the constant with a name; null if there is none. */
  public static <E extends Enum<E>> @Nullable E code(E[] codes, String name) {
    for (E code : codes) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return null;
  }

  /**
   * Returns the failure of an attempt whose answer has no code, so that the status decides.
   *
   * @param server the server, for the message
   * @param otherwise the code of a status that means something else for other requests
   */
  public AttemptFailure byStatus(String server, KvErrorCode otherwise) {
    Kind kind =
        switch (status) {
          case 408 -> Kind.UNKNOWN;
          case 429 -> Kind.NOT_DONE;
          case 501 -> Kind.FINAL;
          default -> status >= 500 ? Kind.UNKNOWN : Kind.FINAL;
        };
    KvErrorCode code =
        switch (status) {
          case 401 -> KvErrorCode.UNAUTHENTICATED;
          case 403 -> KvErrorCode.FORBIDDEN;
          case 413 -> KvErrorCode.LIMIT_EXCEEDED;
          case 429 -> KvErrorCode.OVERLOADED;
          default -> otherwise;
        };
    String text = text().isEmpty() ? "" : ": " + text();
    return new AttemptFailure(
        kind,
        new KvException(code, "status %d of %s%s".formatted(status, server, text)),
        pauseMillis());
  }
}
