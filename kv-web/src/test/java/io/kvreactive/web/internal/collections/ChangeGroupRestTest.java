package io.kvreactive.web.internal.collections;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.web.internal.rest.Answer;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Leases of groups that process changes, by REST requests. */
@ExtendWith(VertxExtension.class)
class ChangeGroupRestTest {
  private static final String C = "/collections/orders";
  private static final String START = "00000000000000000000";
  private static final String FREE = "{'continuation':'" + START + "'}";
  private static TestServerContext site;
  private static Rest rest;

  @BeforeAll
  static void start(Vertx vertx) throws Exception {
    site = new TestServerContext(vertx);
    rest = site.rest();
    put(C, "{'partitionKey':{'paths':['/owner']}}").is(201);
  }

  @AfterAll
  static void stop() {
    site.close();
  }

  private static Answer put(String path, String body, String... headers) {
    return rest.ask("PUT", path, Rest.body(body.replace('\'', '"')), headers);
  }

  private static String group(String name) {
    return C + "/groups/" + name;
  }

  @Test
  void keepsAGroupThatExists() {
    assertThat(rest.get(group("kept")).is(200).json().get("leases")).isEmpty();
    JsonNode made = put(group("kept"), "{'ranges':3,'since':'" + START + "'}").is(200).json();
    assertThat(made.get("leases")).hasSize(3);
    assertThat(made.at("/leases/2/range").intValue()).isEqualTo(2);
    assertThat(made.at("/leases/2/continuation").textValue()).isEqualTo(START);
    assertThat(put(group("kept"), "{'ranges':5}").is(200).json()).isEqualTo(made);
    assertThat(rest.get(group("kept")).is(200).json()).isEqualTo(made);
  }

  @Test
  void replacesALeaseOnlyOfTheNamedVersion() {
    String version =
        put(group("one"), "{'ranges':1}").json().at("/leases/0/versionstamp").textValue();
    String lease = group("one") + "/leases/0";
    String taken = "{'owner':'a','wanted':null,'continuation':'" + START + "'}";
    Answer answer = put(lease, taken, "If-Match", "\"" + version + "\"").is(200);
    assertThat(answer.json().get("owner").textValue()).isEqualTo("a");

    put(lease, taken.replace("'a'", "'b'"), "If-Match", "\"" + version + "\"")
        .problem(412, "ETAG_MISMATCH");
    JsonNode stored = rest.get(group("one")).json().at("/leases/0");
    assertThat(stored).isEqualTo(answer.json());
    assertThat(stored.get("versionstamp").textValue()).isGreaterThan(version);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "groups/bad|{'ranges':0}",
        "groups/bad|{'ranges':1025}",
        "groups/bad|{'ranges':1.5}",
        "groups/bad|{'ranges':'8'}",
        "groups/bad|{'other':1}",
        "groups/bad|[]",
        "groups/bad/leases/-1|" + FREE,
        "groups/bad/leases/01|" + FREE,
        "groups/bad/leases/1024|" + FREE,
        "groups/bad/leases/x|" + FREE,
        "groups/bad/leases/0|{}",
        "groups/bad/leases/0|{'owner':'','continuation':'" + START + "'}",
        "groups/bad/leases/0|{'owner':1,'continuation':'" + START + "'}",
      })
  void refusesWhatIsMalformed(String path, String body) {
    put(C + "/" + path, body, "If-Match", "\"" + START + "\"").problem(400, "BAD_REQUEST");
    assertThat(rest.get(group("bad")).json().get("leases")).isEmpty();
  }

  @Test
  void refusesPositionsThatAreNone() {
    put(group("bad"), "{'since':'yesterday'}").problem(400, "INVALID_VERSIONSTAMP");
    put(group("bad") + "/leases/0", "{'continuation':'x'}", "If-Match", "\"" + START + "\"")
        .problem(400, "INVALID_VERSIONSTAMP");
    assertThat(rest.get(group("bad")).json().get("leases")).isEmpty();
  }

  @Test
  void requiresTheVersionOfALease() {
    put(group("without") + "/leases/0", FREE).problem(400, "BAD_REQUEST");
  }

  @Test
  void refusesALongMember() {
    String body = "{'owner':'%s','continuation':'%s'}".formatted("m".repeat(256), START);
    put(group("long") + "/leases/0", body, "If-Match", "\"" + START + "\"")
        .problem(400, "BAD_REQUEST");
  }

  @Test
  void hasNoGroupsWithoutACollection() {
    rest.get("/collections/none/groups/g").problem(404, "COLLECTION_NOT_FOUND");
    put("/collections/none/groups/g", "{}").problem(404, "COLLECTION_NOT_FOUND");
  }

  /** An absent lease has no version that a request could name. */
  @Test
  void createsNoLeaseByItsVersion() {
    put(group("absent") + "/leases/0", FREE, "If-Match", "\"" + START + "\"")
        .problem(412, "ETAG_MISMATCH");
    assertThat(rest.get(group("absent")).json().get("leases")).isEmpty();
  }
}
