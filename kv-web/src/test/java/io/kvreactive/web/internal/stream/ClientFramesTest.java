package io.kvreactive.web.internal.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever is said is understood or refused, and never anything else. */
class ClientFramesTest {
  private static final String[] SAID = {
    "{'op':'list','id':1,'prefix':['a',1,true,{'$bigint':'7'}],'reverse':true,'credit':5}",
    "{'op':'list','id':2,'start':['a'],'end':['b'],'limit':10,'cursor':'AgA=','keysOnly':true}",
    "{'op':'watch','id':3,'keys':[['a'],['b',{'$bytes':'AQI='}]],'credit':9223372036854775807}",
    "{'op':'changes','id':4,'since':'00000000000000070000','oldValues':true,'list':false}",
    "{'op':'credit','id':5,'n':100}",
    "{'op':'cancel','id':6}",
    "{'op':'ping'}"
  };

  private static boolean isRead(byte[] message) {
    try {
      return ClientFrames.read(Buffer.buffer(message)) != null;
    } catch (BadFrameException e) {
      assertThat(e.detail()).isNotEmpty().hasSizeLessThan(400);
      return false;
    }
  }

  @Property(tries = 5000)
  void noise(@ForAll byte[] message) {
    isRead(message);
  }

  @Property(tries = 20_000, edgeCases = EdgeCasesMode.NONE)
  void damagedMessages(@ForAll("said") byte[] said, @ForAll int at, @ForAll byte to) {
    said[Math.floorMod(at, said.length)] = to;
    isRead(said);
  }

  @Property(tries = 10_000, edgeCases = EdgeCasesMode.NONE)
  void otherJsonInPlaceOfSome(
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
  void eachIsUnderstood() {
    for (String said : SAID) {
      ClientFrame frame = ClientFrames.read(Buffer.buffer(said.replace('\'', '"')));
      assertThat(frame).isNotInstanceOf(ClientFrame.Refused.class);
    }
  }

  @Example
  void whatNestsDeepIsRefused() {
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
