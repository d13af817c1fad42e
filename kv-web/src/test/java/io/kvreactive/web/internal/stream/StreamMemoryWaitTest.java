package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.kvreactive.KvKey;
import io.kvreactive.KvOptions;
import io.kvreactive.web.Conditions;
import io.kvreactive.web.RoutesOptions;
import io.kvreactive.web.TestServer;
import io.kvreactive.web.internal.auth.Grant;
import io.kvreactive.web.internal.rest.Rest;
import io.kvreactive.web.internal.rest.TestServerContext;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Subscriptions that wait for memory which other WebSockets of their token hold. */
@ExtendWith(VertxExtension.class)
class StreamMemoryWaitTest {
  private static final long MEMORY = 2 << 20;
  private static final int ENTRIES = 50;
  private static final String NAME = "n".repeat(1000);
  private static final String LIST = "{'op':'list','id':1,'prefix':['part'],'credit':50}";

  private final List<StreamClient> clients = new ArrayList<>();
  private TestServerContext site;
  private Vertx vertx;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    this.vertx = vertx;
    site =
        new TestServerContext(
            vertx,
            KvOptions.inMemory(),
            RoutesOptions.DEFAULT.withMaxBodyBytes(1 << 16).withMaxMemoryBytes(MEMORY),
            token -> Grant.all("one"));
    for (int i = 0; i < ENTRIES; i++) {
      site.kv.set(KvKey.of("part", i), new byte[10_000]).block(TestServer.TIMEOUT);
    }
  }

  @AfterEach
  void close() {
    clients.forEach(StreamClient::close);
    site.close();
  }

  private StreamClient connect() {
    StreamClient client =
        StreamClient.connect(vertx, site.uri().getPort(), List.of("kv.v1", "bearer.one"));
    clients.add(client);
    return client;
  }

  private long held() {
    long[] held = {0};
    site.memory.forEach((kind, budget) -> held[0] += kind.equals("streams") ? budget.taken() : 0);
    return held[0];
  }

  /** Takes all memory of the token but that of a subscription; returns the number of watches. */
  private static int fill(StreamClient holder) {
    int id = 0;
    while (holder.say(watch(id)).untilPong().isEmpty()) {
      id++;
    }
    holder.say("{'op':'cancel','id':0}").untilPong();
    return id;
  }

  private static String watch(int id) {
    return "{'op':'watch','id':%d,'keys':[['%s']],'credit':0}".formatted(id, NAME);
  }

  private static void release(StreamClient holder, int watches) {
    for (int id = 1; id < watches; id++) {
      holder.say("{'op':'cancel','id':%d}".formatted(id));
    }
    assertThat(holder.untilPong()).isEmpty();
  }

  @Test
  void readNothingUntilThereIsMemory() throws Exception {
    StreamClient holder = connect();
    StreamClient reader = connect();
    int watches = fill(holder);
    reader.say(LIST).say(LIST.replace("'list','id':1", "'changes','list':true,'id':2"));
    Conditions.await(() -> site.read.get() > 0);
    assertThat(reader.untilPong()).isEmpty();
    long before = site.read.get();
    for (int i = 0; i < 20; i++) {
      reader.say("{'op':'credit','id':1,'n':1}").say("{'op':'credit','id':2,'n':1}");
    }
    assertThat(reader.untilPong()).isEmpty();
    // a poll that the server answers when it has waited long enough for subscriptions to read again
    site.rest().get("/changes?waitMs=1500&prefix=" + Rest.key("none")).is(200);
    assertThat(site.read.get()).isEqualTo(before);
    release(holder, watches);
    List<JsonNode> frames = reader.until("end");
    frames.removeIf(frame -> frame.path("id").asInt() != 1);
    assertThat(StreamTest.entries(frames)).isEqualTo(ENTRIES);
  }

  @Test
  void doNotWakeEachOther() {
    StreamClient holder = connect();
    StreamClient reader = connect();
    int watches = fill(holder);
    for (int id = 1; id <= 2; id++) { // each needs memory before it reads
      String list = LIST.replace("'id':1", "'id':" + id).replace("'credit':50", "'credit':100");
      reader.say(list.replace("list'", "changes','list':true"));
    }
    assertThat(reader.untilPong()).isEmpty();
    assertThat(reader.untilPong()).isEmpty();
    release(holder, watches);
    int listed = 0;
    while (listed < 2) {
      listed += reader.next().get("type").asText().equals("listed") ? 1 : 0;
    }
  }

  @Test
  void holdNothingAfterTheirEnd() throws Exception {
    StreamClient holder = connect();
    StreamClient reader = connect();
    assertThat(holder.untilPong()).isEmpty();
    assertThat(reader.untilPong()).isEmpty();
    long before = 2 * StreamSocket.CONNECTION_BYTES; // and for a moment, the pongs
    Conditions.await(() -> held() == before);
    for (int round = 0; round < 20; round++) {
      long read = site.read.get();
      int watches = fill(holder);
      reader.say(LIST).say("{'op':'watch','id':2,'keys':[['part',1]],'credit':1}");
      Conditions.await(() -> site.read.get() > read);
      reader.say("{'op':'cancel','id':1}");
      if (round % 2 == 0) { // else while memory is granted
        reader.untilPong();
      }
      release(holder, watches);
      reader.say("{'op':'cancel','id':2}").untilPong();
      Conditions.await(() -> held() == before);
    }
  }
}
