package io.kvreactive.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.kvreactive.web.DocumentBlocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The metrics and labels in packaging/prometheus and in the documents exist on a server. */
@Timeout(600)
class PrometheusFilesTest {
  private static final Path FOLDER = DocumentBlocks.ROOT.resolve("packaging/prometheus");

  /** A metric, optionally with conditions on its labels. */
  private static final Pattern METRIC =
      Pattern.compile(
          "\\b((?:kv|vertx|jvm|process|system|logback)_\\w+|up)\\b(?:\\{([^}]*)})?(?!\\s*\\()");

  private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)");
  private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");

  /** Labels that Prometheus adds. */
  private static final Set<String> ADDED = Set.of("job", "instance");

  @TempDir static Path directory;
  private static String metrics;

  @BeforeAll
  static void scrape() throws Exception {
    try (ServedProcess server = ServedProcess.at(directory)) {
      server.send("PUT", "/api/v1/entry?key=%5B%22a%22%5D", "1");
      server.send("POST", "/api/v1/enqueue", "{\"queue\":\"q\",\"value\":1}");
      do { // the meters of queues are registered in the background, this one last
        metrics = server.send("GET", "/metrics", "").body();
      } while (!metrics.contains("kv_queue_oldest_age_seconds"));
    }
  }

  @AfterAll
  static void forget() {
    metrics = null;
  }

  private static void assertServed(String expression) {
    List<MatchResult> named = METRIC.matcher(expression).results().toList();
    assertThat(named).as(expression).isNotEmpty();
    Set<String> labels = new TreeSet<>();
    for (MatchResult each : named) {
      String name = each.group(1);
      if (name.equals("up")) {
        continue;
      }
      List<String> series = metrics.lines().filter(line -> isOf(line, name)).toList();
      assertThat(series).as(name + " in " + expression).isNotEmpty();
      if (each.group(2) != null) {
        LABEL.matcher(each.group(2)).results().forEach(label -> labels.add(label.group(1)));
      }
      GROUPED
          .matcher(expression)
          .results()
          .flatMap(by -> List.of(by.group(1).split(", ?")).stream())
          .forEach(labels::add);
      labels.removeAll(ADDED);
      labels.forEach(
          label ->
              assertThat(series).as(expression).anyMatch(line -> line.contains(label + "=\"")));
      labels.clear();
    }
  }

  private static boolean isOf(String line, String metric) {
    return line.startsWith(metric + " ") || line.startsWith(metric + "{");
  }

  @Test
  void alertsOnMetricsOfTheServer() throws IOException {
    JsonNode rules =
        new YAMLMapper().readTree(FOLDER.resolve("kv-alerts.yaml").toFile()).at("/groups/0/rules");
    assertThat(rules).hasSizeGreaterThan(8);
    for (JsonNode rule : rules) {
      assertThat(rule.path("alert").asText()).startsWith("Kv");
      assertThat(rule.path("for").asText()).matches("\\d+m");
      assertThat(rule.at("/labels/severity").asText()).isIn("warning", "critical");
      assertThat(rule.at("/annotations/summary").asText()).isNotBlank();
      assertThat(rule.at("/annotations/description").asText()).isNotBlank();
      assertServed(rule.path("expr").asText());
    }
  }

  @Test
  void drawsMetricsOfTheServer() throws IOException {
    JsonNode dashboard = new ObjectMapper().readTree(FOLDER.resolve("kv-dashboard.json").toFile());
    List<Integer> ids = new ArrayList<>();
    int drawn = 0;
    for (JsonNode panel : dashboard.path("panels")) {
      ids.add(panel.path("id").asInt());
      for (JsonNode target : panel.path("targets")) {
        assertServed(target.path("expr").asText());
        drawn++;
      }
    }
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(drawn).isGreaterThan(20);
    Set<String> variables = new TreeSet<>(Set.of("__rate_interval"));
    for (JsonNode variable : dashboard.at("/templating/list")) {
      variables.add(variable.path("name").asText());
    }
    Pattern.compile("\\$\\{?(\\w+)}?")
        .matcher(dashboard.path("panels").toString())
        .results()
        .forEach(used -> assertThat(variables).contains(used.group(1)));
  }

  @Test
  void documentsMetricsOfTheServer() {
    Pattern code = Pattern.compile("`((?:kv|vertx|logback)_[a-z_]+[a-z])(?:\\{[^`]*})?`");
    Set<String> unknown = new TreeSet<>();
    for (Path document : DocumentBlocks.documents()) {
      try {
        code.matcher(Files.readString(document))
            .results()
            .map(name -> name.group(1))
            .filter(
                name -> metrics.lines().noneMatch(line -> line.startsWith("# TYPE " + name + " ")))
            .forEach(name -> unknown.add(document.getFileName() + ": " + name));
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    assertThat(unknown).isEmpty();
  }
}
