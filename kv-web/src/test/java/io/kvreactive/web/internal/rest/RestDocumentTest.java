package io.kvreactive.web.internal.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpRequest.BodyPublisher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs the examples of docs/rest.md and docs/collections.md in sequence, and compares their
 * answers.
 */
@ExtendWith(VertxExtension.class)
class RestDocumentTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("```sh\n(curl .*?)```\n```json\n(.*?)\n```", Pattern.DOTALL);
  private static final Pattern VERSIONSTAMP = Pattern.compile("[0-9a-f]{20}");
  private static final Pattern WORD =
      Pattern.compile("\\s*(?:\\\\\n|'([^']*)'|\"([^\"]*)\"|([^\\s'\"]+))", Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource({"rest.md, 8", "collections.md, 4"})
  void answersExamplesAsDocumented(String name, int least, Vertx vertx) throws Exception {
    String document = Files.readString(Path.of("../docs", name));
    int examples = 0;
    NavigableMap<String, String> documented = new TreeMap<>();
    try (TestServer server = TestServer.start(vertx)) {
      Rest rest = new Rest(server);
      for (Matcher example = EXAMPLE.matcher(document); example.find(); examples++) {
        Answer answer = run(rest, example.group(1));
        JsonNode answered =
            answer.header("Content-Type").endsWith("x-ndjson") ? answer.lastLine() : answer.json();
        JsonNode expected = Rest.json(example.group(2));
        assertThat(shape(answered.toString()))
            .as(example.group(1))
            .isEqualTo(shape(expected.toString()));
        List<String> stamps = versionstamps(answered);
        List<String> expectedStamps = versionstamps(expected);
        for (int i = 0; i < stamps.size(); i++) {
          String known = documented.putIfAbsent(stamps.get(i), expectedStamps.get(i));
          assertThat(expectedStamps.get(i))
              .as("%s: one versionstamp", example.group(1))
              .isEqualTo(known == null ? expectedStamps.get(i) : known)
              .endsWith(stamps.get(i).substring(16));
        }
      }
    }
    assertThat(List.copyOf(documented.values()))
        .as("versionstamps of one page, in the order of their commits")
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(examples)
        .isEqualTo(document.split("```sh\ncurl", -1).length - 1)
        .isGreaterThan(least);
  }

  private static List<String> versionstamps(JsonNode json) {
    return VERSIONSTAMP.matcher(json.toString()).results().map(MatchResult::group).toList();
  }

  /** Returns the answer without values that differ each time. */
  private static String shape(String json) {
    return VERSIONSTAMP
        .matcher(json)
        .replaceAll("VERSIONSTAMP")
        .replaceAll("\"(requestId|token)\":\"[^\"]*\"", "$1")
        .replaceAll(
            "\"(millis|enqueuedAt|elapsedMs|bytes|_ts|entriesRead|retrievedBytes|\\w+Ms)\":[\\d.E-]+",
            "$1");
  }

  private static Answer run(Rest rest, String command) {
    String method = null;
    String path = "";
    BodyPublisher body = null;
    List<String> query = new ArrayList<>();
    List<String> headers = new ArrayList<>();
    List<String> words = words(command);
    for (int i = 1; i < words.size(); i++) {
      String word = words.get(i);
      switch (word) {
        case "-X" -> method = words.get(++i);
        case "-d", "--data-binary" -> body = Rest.body(words.get(++i));
        case "-H" -> {
          String header = words.get(++i);
          if (!header.equals("$AUTH")) {
            headers.addAll(List.of(header.split(": ", 2)));
          }
        }
        case "--url-query" -> {
          String[] parameter = words.get(++i).split("=", 2);
          query.add(parameter[0] + "=" + Rest.encode(parameter[1]));
        }
        default -> {
          assertThat(word).startsWith("$KV/");
          path = word.substring(3);
        }
      }
    }
    String asked = query.isEmpty() ? path : path + "?" + String.join("&", query);
    String how = method != null ? method : body == null ? "GET" : "POST";
    return rest.ask(how, asked, body, headers.toArray(String[]::new));
  }

  private static List<String> words(String command) {
    List<String> words = new ArrayList<>();
    Matcher word = WORD.matcher(command.strip());
    while (word.lookingAt()) {
      for (int group = 1; group <= 3; group++) {
        if (word.group(group) != null) {
          words.add(word.group(group));
        }
      }
      word.region(word.end(), command.strip().length());
    }
    return words;
  }
}
