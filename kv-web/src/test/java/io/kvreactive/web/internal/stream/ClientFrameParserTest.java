package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvreactive.web.internal.auth.Operation;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any message is either parsed or rejected with the documented error. */
class ClientFrameParserTest {
  private static final String[] SAID = {
    "{'op':'list','id':1,'prefix':['a',1,true,{'$bigint':'7'}],'reverse':true,'credit':5}",
    "{'op':'list','id':2,'start':['a'],'end':['b'],'limit':10,'cursor':'AgA=','keysOnly':true}",
    "{'op':'watch','id':3,'keys':[['a'],['b',{'$bytes':'AQI='}]],'credit':9223372036854775807}",
    "{'op':'changes','id':4,'since':'00000000000000070000','oldValues':true,'list':false}",
    "{'op':'credit','id':5,'n':100}",
    "{'op':'credit','id':5,'bytes':100}",
    "{'op':'batch','id':9,'collection':'c','partitionKey':['x',1],'operations':"
        + "[{'op':'replace','id':'a','item':{'n':1},'ifMatch':'00000000000000070000'},"
        + "{'op':'patch','id':'a','operations':[{'op':'incr','path':'/n','value':1}],"
        + "'filter':'c.n = 1'},{'op':'delete','id':'b'}]}",
    "{'op':'deleteItems','id':10,'collection':'c','query':'SELECT * FROM c','maxItemCount':9}",
    "{'op':'deletePartition','id':11,'collection':'c','partitionKey':'x'}",
    "{'op':'cancel','id':6}",
    "{'op':'ping'}"
  };

  private static boolean isRead(byte[] message) {
    try {
      return ClientFrameParser.read(Buffer.buffer(message)) != null;
    } catch (BadFrameException e) {
      assertThat(e.detail()).isNotEmpty().hasSizeLessThan(400);
      return false;
    }
  }

  @Property(tries = 5000)
  void parsesOrRejectsNoise(@ForAll byte[] message) {
    isRead(message);
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void parsesOrRejectsDamagedMessages(
      @ForAll("said") byte[] said, @ForAll int at, @ForAll byte to) {
    said[Math.floorMod(at, said.length)] = to;
    isRead(said);
  }

  @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
  void parsesOrRejectsReplacedJson(
      @ForAll("said") byte[] said, @ForAll("json") String json, @ForAll int at) {
    String text = new String(said, StandardCharsets.UTF_8);
    int from = text.indexOf(':', Math.floorMod(at, text.length()));
    int to = text.indexOf(',', Math.max(from, 0));
    if (from >= 0 && to >= 0) {
      String changed = text.substring(0, from + 1) + json + text.substring(to);
      isRead(changed.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Example
  void coversEachTypeOfFrame() {
    Set<Class<?>> seen = new HashSet<>();
    Set<String> rows = new TreeSet<>();
    List<String> said = new ArrayList<>(List.of(SAID));
    said.add("{'op':'query','id':7,'collection':'c','query':'SELECT * FROM c'}");
    said.add("{'op':'itemChanges','id':8,'collection':'c','mode':'all','partitionKey':['x',1]}");
    for (String text : said) {
      ClientFrame frame = ClientFrameParser.read(Buffer.buffer(text.replace('\'', '"')));
      seen.add(frame.getClass());
      assertThat(frame.operation().call())
          .isEqualTo("frame: " + new JsonObject(text.replace('\'', '"')).getString("op"));
      rows.add(frame.operation().call());
    }
    seen.add(ClientFrame.Refused.class); // a subscription with invalid arguments
    assertThat(seen).isEqualTo(types(ClientFrame.class));
    assertThat(rows)
        .isEqualTo(
            Arrays.stream(Operation.values())
                .map(Operation::call)
                .filter(call -> call.startsWith("frame: "))
                .collect(Collectors.toCollection(TreeSet::new)));
    String known = "";
    try {
      ClientFrameParser.read(Buffer.buffer("{\"op\":\"none\"}"));
    } catch (BadFrameException e) {
      known = e.detail();
    }
    for (String row : rows) {
      assertThat(known).contains(row.substring("frame: ".length()));
    }
    assertThat(known.split(", | or ")).as(known).hasSize(rows.size());
  }

  private static Set<Class<?>> types(Class<?> type) {
    Set<Class<?>> types = new HashSet<>();
    for (Class<?> each : type.getPermittedSubclasses()) {
      types.addAll(each.isSealed() ? types(each) : Set.of(each));
    }
    return types;
  }

  @Example
  void parsesEachFrame() {
    for (String said : SAID) {
      ClientFrame frame = ClientFrameParser.read(Buffer.buffer(said.replace('\'', '"')));
      assertThat(frame).isNotInstanceOf(ClientFrame.Refused.class);
    }
  }

  @Example
  void rejectsDeepNesting() {
    String deep = "[".repeat(500_000);
    assertThat(isRead(deep.getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(isRead(("{\"op\":" + deep).getBytes(StandardCharsets.UTF_8))).isFalse();
  }

  @Provide
  Arbitrary<byte[]> said() {
    return Arbitraries.of(SAID).map(s -> s.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @Provide
  Arbitrary<String> json() {
    return Arbitraries.of(
        "null",
        "true",
        "-1",
        "0",
        "1.5",
        "1e400",
        "99999999999999999999999",
        "\"\"",
        "[]",
        "[[]]",
        "[[[]]]",
        "{}",
        "{\"$bigint\":\"x\"}",
        "[{\"$key\":\"AA==\"}]",
        "{\"$key\":\"AGEA\"}");
  }
}
