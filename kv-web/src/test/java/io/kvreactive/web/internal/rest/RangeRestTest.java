package io.kvreactive.web.internal.rest;

import static io.kvreactive.web.internal.rest.Rest.encode;
import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.NonBlockingThreads;
import io.kvreactive.web.TestServer;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
@ExtendWith(NonBlockingThreads.class)
class RangeRestTest {
  private static TestServer server;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) {
    server = TestServer.start(vertx);
    rest = new Rest(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void empty() {
    rest.clear();
  }

  /** Sets keys [name, 0], [name, 1], … to their number, in commits of a thousand. */
  private static void fill(String name, int count) {
    for (int from = 0; from < count; from += 1000) {
      StringBuilder body = new StringBuilder("{\"mutations\":[");
      for (int i = from; i < Math.min(count, from + 1000); i++) {
        body.append(i == from ? "" : ",")
            .append("{\"type\":\"set\",\"key\":[\"%s\",%d],\"value\":%d}".formatted(name, i, i));
      }
      rest.post("/atomic", body.append("]}").toString()).is(200);
    }
  }

  private static List<Integer> values(Iterable<JsonNode> entries) {
    return StreamSupport.stream(entries.spliterator(), false)
        .map(entry -> entry.get("value").intValue())
        .toList();
  }

  private static List<Integer> numbers(int from, int to) {
    return IntStream.range(from, to).boxed().toList();
  }

  @Test
  void readsManyKeysInOrderAtOneVersion() {
    fill("a", 3);
    Answer got = rest.post("/entries/get", "{\"keys\":[[\"a\",2],[\"a\",9],[\"a\",0]]}").is(200);
    JsonNode entries = got.json().get("entries");
    assertThat(entries.get(0).get("value").intValue()).isEqualTo(2);
    assertThat(entries.get(1).toString())
        .isEqualTo("{\"key\":[\"a\",9],\"value\":null,\"versionstamp\":null}");
    assertThat(entries.get(2).get("value").intValue()).isEqualTo(0);
    assertThat(got.text("versionstamp")).isEqualTo(got.header("X-Kv-Versionstamp")).hasSize(20);
  }

  @Test
  void listsARangePageByPage() {
    fill("a", 25);
    fill("b", 2);
    for (boolean reverse : new boolean[] {false, true}) {
      List<Integer> seen = new ArrayList<>();
      String cursor = "";
      int pages = 0;
      do {
        Answer page =
            rest.get(
                    "/entries?limit=10&prefix=%s&reverse=%s&cursor=%s"
                        .formatted(key("a"), reverse, encode(cursor)))
                .is(200);
        seen.addAll(values(page.json().get("entries")));
        cursor = page.json().get("cursor").asText("");
        pages++;
      } while (!cursor.isEmpty());
      List<Integer> expected = new ArrayList<>(numbers(0, 25));
      if (reverse) {
        java.util.Collections.reverse(expected);
      }
      assertThat(seen).isEqualTo(expected);
      assertThat(pages).isEqualTo(3);
    }
  }

  @Test
  void respectsBoundsOfRanges() {
    fill("a", 10);
    String from3 = "start=" + encode("[\"a\",3]");
    String to7 = "end=" + encode("[\"a\",7]");
    String prefix = "prefix=" + key("a");
    assertThat(listed(from3 + "&" + to7)).isEqualTo(numbers(3, 7));
    assertThat(listed(prefix + "&" + from3)).isEqualTo(numbers(3, 10));
    assertThat(listed(prefix + "&" + to7)).isEqualTo(numbers(0, 7));
    assertThat(listed(from3)).isEqualTo(numbers(3, 10));
    assertThat(listed("")).isEqualTo(numbers(0, 10));
    rest.get("/entries?" + prefix + "&" + from3 + "&" + to7).problem(400, "INVALID_RANGE");
    rest.get("/entries?prefix=" + key("b") + "&" + from3).problem(400, "INVALID_RANGE");
    rest.get("/entries?" + from3 + "&end=" + encode("[\"a\",1]")).problem(400, "INVALID_RANGE");
  }

  private static List<Integer> listed(String query) {
    return values(rest.get("/entries?" + query).is(200).json().get("entries"));
  }

  @Test
  void listsKeysWithoutValues() {
    fill("a", 2);
    Answer got = rest.get("/entries?keysOnly=true").is(200);
    assertThat(got.json().at("/entries/0").has("value")).isFalse();
    assertThat(got.json().at("/entries/0/key").toString()).isEqualTo("[\"a\",0]");
    Answer lines = rest.get("/entries?keysOnly", "Accept", "application/x-ndjson").is(200);
    assertThat(lines.lines()).hasSize(2).noneMatch(line -> line.has("value"));
  }

  @ParameterizedTest
  @CsvSource({
    "limit=0,BAD_REQUEST",
    "limit=-1,BAD_REQUEST",
    "limit=1e3,BAD_REQUEST",
    "limit=99999999,BAD_REQUEST",
    "limit=99999999999999999999,BAD_REQUEST",
    "reverse=yes,BAD_REQUEST",
    "cursor=!!,INVALID_CURSOR",
    "colour=red,BAD_REQUEST",
    "consistency=page,BAD_REQUEST",
  })
  void rejectsInvalidLists(String query, String code) {
    rest.get("/entries?" + query).problem(400, code);
  }

  @Test
  void streamsARangeWithOneLinePerEntry() {
    fill("a", 2500);
    Answer all = rest.get("/entries", "Accept", "application/x-ndjson").is(200);
    assertThat(all.header("Content-Type")).isEqualTo("application/x-ndjson");
    assertThat(all.header("X-Kv-Versionstamp")).hasSize(20);
    assertThat(values(all.lines())).isEqualTo(numbers(0, 2500));
    Answer some =
        rest.get("/entries?reverse=true&limit=1500", "Accept", "application/x-ndjson").is(200);
    assertThat(values(some.lines())).hasSize(1500).startsWith(2499, 2498).endsWith(1001, 1000);
    Answer paged = rest.get("/entries?consistency=page", "Accept", "application/x-ndjson").is(200);
    assertThat(values(paged.lines())).isEqualTo(numbers(0, 2500));
    Answer none =
        rest.get("/entries?prefix=" + key("none"), "Accept", "application/x-ndjson").is(200);
    assertThat(none.body()).isEmpty();
    assertThat(none.header("X-Kv-Versionstamp")).hasSize(20);
  }

  @Test
  void rejectsUnknownTypes() {
    rest.get("/entries", "Accept", "text/csv").problem(406, "NOT_ACCEPTABLE");
    rest.get("/entries", "Accept", "text/csv, application/json;q=0.5").is(200);
  }

  @Test
  void deletesARangeOnlyWhenItIsNamed() {
    fill("a", 5);
    fill("b", 5);
    rest.ask("DELETE", "/entries", null).problem(400, "BAD_REQUEST");
    rest.ask("DELETE", "/entries?start=" + key("a"), null).problem(400, "BAD_REQUEST");
    Answer deleted = rest.ask("DELETE", "/entries?prefix=" + key("a"), null).is(200);
    assertThat(deleted.text("versionstamp")).hasSize(20);
    assertThat(rest.get("/count").is(200).json().get("count").longValue()).isEqualTo(5);
    assertThat(rest.get("/count?prefix=" + key("a")).json().get("count").longValue()).isZero();
  }

  @Test
  void importsExports() {
    fill("a", 2345);
    rest.put(key("x"), "{\"$map\":[[1,{\"$bigint\":\"2\"}]]}").is(200);
    Answer exported = rest.get("/export").is(200);
    rest.clear();
    Answer imported =
        rest.post("/import", exported.body(), "Content-Type", "application/x-ndjson").is(200);
    JsonNode last = imported.lastLine();
    assertThat(last.get("done").booleanValue()).isTrue();
    assertThat(last.get("entries").longValue()).isEqualTo(2346);
    assertThat(rest.get("/export").body().replaceAll("\"versionstamp\":\"\\w+\"", ""))
        .isEqualTo(exported.body().replaceAll("\"versionstamp\":\"\\w+\"", ""));
  }

  @Test
  void reportsTheWrongLineOfAnImport() {
    String lines = "{\"key\":[1],\"value\":1}\r\n\n{\"key\":[2],\"valeu\":2}\n";
    Answer answer = rest.post("/import", lines, "Content-Type", "application/x-ndjson");
    assertThat(answer.problemOfWork(400, "INVALID_ARGUMENT").get("detail").asText())
        .contains("line 3");
    assertThat(rest.get("/count").json().get("count").longValue()).isEqualTo(1);
    rest.post("/import", lines, "Content-Type", "application/json")
        .problem(415, "UNSUPPORTED_MEDIA_TYPE");
    Answer empty = rest.post("/import", "", "Content-Type", "application/x-ndjson").is(200);
    assertThat(empty.lastLine().get("entries").longValue()).isZero();
  }

  @Test
  void listsChildrenWithoutReadingTheirDescendants() {
    fill("deep", 3000);
    fill("other", 1);
    rest.put(key("deep"), "1").is(200);
    rest.put(key("leaf"), "1").is(200);
    rest.put(key("z", "a", "b", "c"), "1").is(200);
    Answer root = rest.get("/tree").is(200);
    assertThat(root.json().get("children").toString())
        .isEqualTo(
            "[{\"part\":\"deep\",\"key\":[\"deep\"],\"isKey\":true,\"hasChildren\":true},"
                + "{\"part\":\"leaf\",\"key\":[\"leaf\"],\"isKey\":true,\"hasChildren\":false},"
                + "{\"part\":\"other\",\"key\":[\"other\"],\"isKey\":false,\"hasChildren\":true},"
                + "{\"part\":\"z\",\"key\":[\"z\"],\"isKey\":false,\"hasChildren\":true}]");
    assertThat(root.json().get("cursor").isNull()).isTrue();
    Answer below = rest.get("/tree?prefix=" + key("z", "a")).is(200);
    assertThat(below.json().at("/children/0/key").toString()).isEqualTo("[\"z\",\"a\",\"b\"]");
    Answer later = rest.get("/tree?limit=2&start=" + key("l", "x")).is(200);
    assertThat(later.json().get("children").findValuesAsText("part"))
        .containsExactly("leaf", "other");
    Answer rest2 = rest.get("/tree?cursor=" + later.json().get("cursor").asText()).is(200);
    assertThat(rest2.json().at("/children/0/part").asText()).isEqualTo("z");
    rest.get("/tree?prefix=%s&start=%s".formatted(key("z"), key("z")))
        .problem(400, "INVALID_RANGE");
    rest.get("/tree?prefix=%s&start=%s".formatted(key("z"), key("y", "a")))
        .problem(400, "INVALID_RANGE");
  }

  @Test
  void pagesChildren() {
    fill("n", 250);
    List<Integer> seen = new ArrayList<>();
    String cursor = "";
    do {
      Answer page =
          rest.get("/tree?limit=99&prefix=%s&cursor=%s".formatted(key("n"), encode(cursor)))
              .is(200);
      page.json().get("children").forEach(child -> seen.add(child.get("part").intValue()));
      cursor = page.json().get("cursor").asText("");
    } while (!cursor.isEmpty());
    assertThat(seen).isEqualTo(numbers(0, 250));
    rest.get("/tree?cursor=AAAA").problem(400, "INVALID_CURSOR");
    rest.get("/tree?cursor=**").problem(400, "INVALID_CURSOR");
  }
}
