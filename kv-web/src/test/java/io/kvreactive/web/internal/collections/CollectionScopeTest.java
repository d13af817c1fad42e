package io.kvreactive.web.internal.collections;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.internal.auth.AccessRight;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Access of tokens to collections and to the keys of collections. */
@ExtendWith(VertxExtension.class)
class CollectionScopeTest {
  private static final String ITEM = "{\"id\":\"1\"}";
  private static TestServerContext site;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    Set<AccessRight> both = Set.of(AccessRight.READ, AccessRight.WRITE);
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT,
            TestServerContext.tokens(
                new Grant("mine", both, List.of(KvKey.of("mine")), Set.of(), null),
                new Grant("part", both, List.of(KvKey.of("kvi", "c")), Set.of(), null),
                new Grant("kvi", both, List.of(KvKey.of("kvi")), Set.of(), null),
                new Grant("reader", Set.of(AccessRight.READ), List.of(), Set.of(), null),
                new Grant("both", both, List.of(), Set.of(), null)));
    site.rest().ask("PUT", "/collections/c", Rest.body("{}")).is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static Answer load(Rest rest) {
    return rest.post("/collections/c/load", ITEM, "Content-Type", "application/x-ndjson");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mine", "part"})
  void forbidsCollectionsToTokensThatReachOnlySomeOfTheirKeys(String token) {
    Rest rest = site.rest().as(token);
    rest.get("/collections").problem(403, "FORBIDDEN");
    rest.get("/collections/c").problem(403, "FORBIDDEN");
    rest.get("/collections/c/items/1").problem(403, "FORBIDDEN");
    rest.post("/collections/c/items", ITEM).problem(403, "FORBIDDEN");
    rest.post("/collections/c/query", "{\"query\":\"SELECT * FROM c\"}").problem(403, "FORBIDDEN");
    load(rest).problem(403, "FORBIDDEN");
    rest.get("/collections/none").problem(403, "FORBIDDEN"); // not even its existence
  }

  @ParameterizedTest
  @ValueSource(strings = {"kvi", "both"})
  void allowsItemsButNoDefinitionsToTokensThatReachCollections(String token) {
    Rest rest = site.rest().as(token);
    rest.ask("PUT", "/collections/c/items/" + token, Rest.body("{}")).is(201);
    rest.get("/collections/c/items/" + token).is(200);
    load(rest).is(200);
    rest.ask("PUT", "/collections/d", Rest.body("{}")).problem(403, "FORBIDDEN");
    rest.ask("DELETE", "/collections/c", null).problem(403, "FORBIDDEN");
  }

  @Test
  void forbidsReadersToWrite() {
    Rest reader = site.rest().as("reader");
    reader.get("/collections").is(200);
    reader.post("/collections/c/items", ITEM).problem(403, "FORBIDDEN");
    load(reader).problem(403, "FORBIDDEN");
    reader.ask("DELETE", "/collections/c/items/1", null).problem(403, "FORBIDDEN");
  }

  private static String importProblem(String lines, int status, String code) {
    return site.rest()
        .as("both")
        .post("/import", lines, "Content-Type", "application/x-ndjson")
        .problemOfWork(status, code)
        .get("detail")
        .asText();
  }

  @Test
  void readsImportLinesAlikeForEveryToken() {
    String good = "{\"key\":[\"u\",\"\\u0061\"],\"value\":1}\n";
    Rest rest = site.rest().as("both");
    Answer marked =
        rest.post("/import", "\uFEFF" + good, "Content-Type", "application/x-ndjson").is(200);
    assertThat(marked.lastLine().get("entries").longValue()).isEqualTo(1);
    assertThat(importProblem(good + "\n{\"key\":[\"\\u006\n", 400, "INVALID_ARGUMENT"))
        .startsWith("line 3: ")
        .doesNotContain("line 1");
    String theirs = "{\"key\":[\"kvi\",\"c\"],\"value\":1}\n";
    assertThat(importProblem(good + good + theirs, 403, "FORBIDDEN"))
        .startsWith("line 3: ")
        .contains("ADMIN");
    assertThat(importProblem("\uFEFF" + theirs, 403, "FORBIDDEN")).startsWith("line 1: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"kvi", "both"})
  void rejectsDirectWritesOfCollectionKeys(String token) {
    Rest rest = site.rest().as(token);
    assertThat(rest.put(key("kvi", "c", "x"), "1").problem(403, "FORBIDDEN").text("detail"))
        .contains("collections", "ADMIN");
    rest.ask("DELETE", "/entry?key=" + key("kvi"), null).problem(403, "FORBIDDEN");
    rest.ask("DELETE", "/entries?prefix=" + key("kvi", "c"), null).problem(403, "FORBIDDEN");
    rest.ask("POST", "/entry/touch?expireIn=1&key=" + key("kvi", 1 + ""), null)
        .problem(403, "FORBIDDEN");
    for (String mutation :
        List.of(
            "{\"type\":\"set\",\"key\":[\"kvi\",1],\"value\":1}",
            "{\"type\":\"setSuffixed\",\"key\":[\"kvi\"],\"value\":1}",
            "{\"type\":\"deleteRange\",\"prefix\":[]}",
            "{\"type\":\"delete\",\"key\":[\"kvi\",1]}")) {
      rest.post("/atomic", "{\"mutations\":[" + mutation + "]}").problem(403, "FORBIDDEN");
    }
    rest.get("/entries?prefix=" + key("kvi")).is(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[\"kvi\",\"c\"]",
        "[\"\\u006bvi\",\"c\"]",
        "{\"$key\":\"Amt2aQACYQA=\"}",
      })
  void rejectsImportsOfCollectionKeys(String key) {
    String body =
        site.rest()
            .as("both")
            .post(
                "/import",
                "{\"key\":[\"ok\"],\"value\":1}\n{\"key\":" + key + ",\"value\":1}\n",
                "Content-Type",
                "application/x-ndjson")
            .body();
    assertThat(body).containsAnyOf("FORBIDDEN", "INVALID_KEY");
  }

  @Test
  void allowsWritesOfOtherKeys() {
    Rest both = site.rest().as("both");
    both.put(key("kvj"), "1").is(200);
    both.put(key("kv"), "1").is(200);
    both.post(
            "/atomic", "{\"mutations\":[{\"type\":\"setSuffixed\",\"key\":[\"kv\"],\"value\":1}]}")
        .is(200);
    both.post(
            "/import",
            "{\"key\":[\"a\",\"kvi\"],\"value\":\"kvi\"}\n",
            "Content-Type",
            "application/x-ndjson")
        .is(200);
    both.get("/entry?key=" + key("a", "kvi")).is(200);
  }

  @Test
  void letsAdministratorsWriteCollectionKeys() {
    site.rest().put(key("kvi", "by hand"), "1").is(200);
    site.rest().ask("DELETE", "/entry?key=" + key("kvi", "by hand"), null).is(200);
  }
}
