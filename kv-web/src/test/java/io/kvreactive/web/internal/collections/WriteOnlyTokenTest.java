package io.kvreactive.web.internal.collections;

import static io.kvreactive.web.internal.rest.Rest.key;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers to tokens with WRITE access and without READ access: no stored content in any of them.
 */
@ExtendWith(VertxExtension.class)
class WriteOnlyTokenTest {
  private static final String SECRET = "S3CRET";
  private static final String ITEMS = "/collections/t/items";
  private static final String HELD = ITEMS + "/sec2?partitionKey=1";
  private static final Set<AccessRight> WRITE = Set.of(AccessRight.WRITE);
  private static TestServerContext site;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT,
            TestServerContext.tokens(
                new Grant("writer", WRITE, List.of(), Set.of(), null),
                new Grant("writerKvi", WRITE, List.of(KvKey.of("kvi")), Set.of(), null),
                new Grant(
                    "both",
                    Set.of(AccessRight.READ, AccessRight.WRITE),
                    List.of(),
                    Set.of(),
                    null)));
    site.rest()
        .ask(
            "PUT",
            "/collections/t",
            json(
                "{'partitionKey':{'paths':['/pk']},"
                    + "'uniqueKeyPolicy':{'uniqueKeys':[{'paths':['/mail']}]}}"))
        .is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  @BeforeEach
  void store() {
    String item =
        "{'id':'sec2','pk':1,'secret':'%1$s','n':42,'%1$s':{'list':[1,2]},'mail':'%1$s@x'}";
    site.rest().ask("PUT", ITEMS + "/sec2", json(item.formatted(SECRET))).isWritten();
  }

  private static java.net.http.HttpRequest.BodyPublisher json(String text) {
    return Rest.body(text.replace('\'', '"'));
  }

  private static Answer patch(String token, String operations) {
    return site.rest().as(token).ask("PATCH", HELD, json("{'operations':[" + operations + "]}"));
  }

  private static void onlyIdAndEtag(Answer answer, String id) {
    JsonNode body = answer.json();
    assertThat(body.properties()).extracting(it -> it.getKey()).containsExactly("id", "_etag");
    assertThat(body.get("id").asText()).isEqualTo(id);
    assertThat(answer.header("ETag")).isEqualTo("\"" + body.get("_etag").asText() + "\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"writer", "writerKvi"})
  void answersPatchesWithIdAndEtagOnly(String token) {
    site.rest().as(token).get(HELD).problem(403, "FORBIDDEN");
    onlyIdAndEtag(patch(token, "{'op':'incr','path':'/n','value':1}").is(200), "sec2");
    onlyIdAndEtag(patch(token, "{'op':'set','path':'/n','value':43}").is(200), "sec2");
  }

  @Test
  void answersTheItemToReaders() {
    assertThat(
            patch("both", "{'op':'incr','path':'/n','value':1}")
                .is(200)
                .json()
                .get("secret")
                .asText())
        .isEqualTo(SECRET);
  }

  @Test
  void answersOtherWritesWithIdAndEtagOnly() {
    Rest writer = site.rest().as("writer");
    onlyIdAndEtag(writer.ask("POST", ITEMS, json("{'id':'w1','pk':1}")).is(201), "w1");
    onlyIdAndEtag(writer.ask("PUT", ITEMS + "/w1", json("{'pk':1,'a':1}")).is(200), "w1");
    Answer deleted = writer.ask("DELETE", ITEMS + "/w1?partitionKey=1", null).is(200);
    assertThat(deleted.json().properties()).hasSize(1);
  }

  /** Moves the secret to a place that an error message would quote, or tests its value. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'op':'move','from':'/secret','path':'/id'}",
        "{'op':'move','from':'/secret','path':'/pk'}",
        "{'op':'move','from':'/secret','path':'/ttl'}",
        "{'op':'incr','path':'/secret','value':1}",
        "{'op':'replace','path':'/none','value':1}",
        "{'op':'add','path':'/S3CRET/list/9','value':1}",
      })
  void revealsNothingOfTheItemInAFailedPatch(String operation) {
    Answer answer = patch("writer", operation).problem(400, "INVALID_PATCH");
    String detail = answer.text("detail");
    assertThat(detail)
        .isEqualTo(patch("writer", "{'op':'incr','path':'/secret','value':2}").text("detail"))
        .doesNotContain(SECRET, "STRING");
    assertThat(patch("both", operation).text("detail")).as("who reads").isNotEqualTo(detail);
  }

  @Test
  void revealsNothingOfTheItemInConflicts() {
    Rest writer = site.rest().as("writer");
    String etag = site.rest().get(HELD).text("_etag");
    for (String method : List.of("PUT", "DELETE")) {
      Answer answer =
          writer.ask(
              method,
              method.equals("PUT") ? ITEMS + "/sec2" : HELD,
              method.equals("PUT") ? json("{'pk':1}") : null,
              "If-Match",
              "\"00000000000000010000\"");
      assertThat(answer.problem(412, "ETAG_MISMATCH").text("detail")).doesNotContain(etag);
    }
    writer.ask("POST", ITEMS, json("{'id':'sec2','pk':1}")).problem(409, "ITEM_EXISTS");
  }

  @Test
  void revealsNoOwnerOfADuplicateUniqueValue() {
    Rest writer = site.rest().as("writer");
    String same = "{'id':'probe','pk':1,'mail':'" + SECRET + "@x'}";
    Answer created = writer.ask("POST", ITEMS, json(same)).problem(409, "ITEM_EXISTS");
    assertThat(created.text("detail")).doesNotContain("sec2");
    JsonNode loaded =
        writer
            .post(
                "/collections/t/load",
                same.replace('\'', '"'),
                "Content-Type",
                "application/x-ndjson")
            .problemOfWork(409, "ITEM_EXISTS");
    assertThat(loaded.get("detail").asText()).startsWith("line 1: ").doesNotContain("sec2");
  }

  @Test
  void revealsNoTypeOfAValueInACommit() {
    site.rest().put(key("n"), "\"" + SECRET + "\"").is(200);
    String sum = "{\"mutations\":[{\"type\":\"%s\",\"key\":[\"n\"],\"value\":{\"$u64\":\"1\"}}]}";
    for (String type : List.of("sum", "min", "max")) {
      String told =
          site.rest()
              .as("writer")
              .post("/atomic", sum.formatted(type))
              .problem(400, "TYPE_MISMATCH")
              .text("detail");
      assertThat(told)
          .isEqualTo("the value of a key has a type that the operation does not support");
    }
  }
}
