package io.kvreactive.documents.internal.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.kvreactive.documents.DocumentException;
import io.kvreactive.documents.internal.ModelOrder;
import io.kvreactive.documents.internal.RandomJson;
import io.kvreactive.documents.internal.encoding.ValueDecoding.DecodedValue;
import io.kvreactive.documents.internal.value.Values;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ValueEncodingTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ModelOrder MODEL = new ModelOrder();
  private static final int SMALL = 100;

  @Example
  void encodesEachType() throws JsonProcessingException {
    assertThat(hex(Values.UNDEFINED)).isEqualTo("05");
    assertThat(hex("null")).isEqualTo("10");
    assertThat(hex("false")).isEqualTo("20");
    assertThat(hex("true")).isEqualTo("21");
    assertThat(hex("18")).isEqualTo("30c032000000000000");
    assertThat(hex("-1")).isEqualTo("30400fffffffffffff");
    assertThat(hex("-0.0")).isEqualTo(hex("0")).isEqualTo("308000000000000000");
    assertThat(hex("\"Jo\"")).isEqualTo("404a6f00");
    assertThat(hex("\"\\u0000\"")).isEqualTo("4000ff00");
    assertThat(hex("\"\\ud83d\\ude00\"")).isEqualTo("40eda0bdedb88000");
    assertThat(hex("[1]")).startsWith("50").hasSize(18);
    assertThat(hex("{\"a\":1,\"b\":[]}")).isEqualTo(hex("{\"b\":[],\"a\":1.0}")).startsWith("60");
    assertThat(hex("[[1],2]")).isNotEqualTo(hex("[[1,2]]"));
    assertThat(hex("{\"a\":{}}")).isNotEqualTo(hex("{\"a\":[]}"));
  }

  @Property
  void ordersBytesLikeValues(@ForAll long seed, @ForAll boolean descending) {
    RandomJson json = new RandomJson(seed);
    JsonNode a = json.any(2, SMALL);
    JsonNode b = json.any(2, SMALL);
    byte[] first = key(a, descending, 1 + json.random().nextInt(100_000));
    byte[] second = key(b, descending, 1 + json.random().nextInt(100_000));
    int model = MODEL.compare(a, b) * (descending ? -1 : 1);
    byte[] bare = ValueEncoding.encode(a, descending, SMALL);
    boolean same = Arrays.equals(bare, ValueEncoding.encode(b, descending, SMALL));
    if (same) {
      // Only values that are not exact may share an encoding.
      assertThat(model == 0 || !ValueDecoding.read(bare, 0, descending, SMALL).exact()).isTrue();
    } else if (model != 0) {
      assertThat(Integer.signum(Arrays.compareUnsigned(first, second))).isEqualTo(model);
    }
  }

  @Property
  void readsBackExactValues(@ForAll long seed, @ForAll boolean descending) {
    RandomJson json = new RandomJson(seed);
    JsonNode value = json.any(2, SMALL);
    byte[] key = key(value, descending, 77);
    DecodedValue read = ValueDecoding.read(key, 0, descending, SMALL);
    assertThat(DocIds.read(key, read.next())).isEqualTo(77);
    if (read.exact()) {
      assertThat(MODEL.compare(read.value(), value)).isZero();
      assertThat(value.isContainerNode()).isFalse();
    } else if (value.isTextual()) {
      assertThat(value.textValue()).startsWith(read.value().textValue());
      assertThat(value.textValue().length()).isGreaterThan(SMALL / 4);
    } else {
      assertThat(value.isContainerNode() || Math.abs(value.doubleValue()) >= 0x1p53).isTrue();
    }
  }

  @Property
  void neverTakesMoreThanItsBudget(@ForAll long seed, @ForAll boolean descending) {
    RandomJson json = new RandomJson(seed);
    String unit = json.text(0) + json.text(0);
    JsonNode text = TextNode.valueOf(unit.repeat(json.random().nextInt(3000)));
    assertThat(cost(ValueEncoding.encode(text, descending, SMALL))).isLessThanOrEqualTo(SMALL);
    assertThat(cost(ValueEncoding.encode(text, descending, 1600))).isLessThanOrEqualTo(1600);
    KeyBuffer exact = new KeyBuffer();
    ValueEncoding.writeExact(exact, text, 84, new ContainerHashes());
    assertThat(cost(exact.toBytes())).isLessThanOrEqualTo(84);
  }

  @Example
  void distinguishesLongTextsInTheExactForm() {
    String start = "a".repeat(5000);
    assertThat(exact(start + "b")).isNotEqualTo(exact(start + "c")).hasSize(33);
    assertThat(exact(start + "b")).isEqualTo(exact(start + "b"));
    assertThat(exact("short")).isNotEqualTo(exact("shore"));
  }

  @Example
  void rejectsDeepValuesBeforeAStackOverflow() {
    JsonNode deep = JsonNodeFactory.instance.arrayNode();
    for (int i = 0; i < 100_000; i++) {
      deep = JsonNodeFactory.instance.arrayNode().add(deep);
    }
    JsonNode value = deep;
    assertThatThrownBy(() -> ValueEncoding.encode(value, false, SMALL))
        .isInstanceOf(DocumentException.class)
        .hasMessageContaining("deeper than 512");
  }

  private static byte[] exact(String text) {
    KeyBuffer out = new KeyBuffer();
    ValueEncoding.writeExact(out, TextNode.valueOf(text), 84, new ContainerHashes());
    return out.toBytes();
  }

  private static byte[] key(JsonNode value, boolean descending, long docId) {
    KeyBuffer out = new KeyBuffer();
    var unused = ValueEncoding.write(out, value, descending, SMALL, new ContainerHashes());
    DocIds.write(out, docId);
    return out.toBytes();
  }

  /** Returns the length of the bytes within a store key. */
  private static int cost(byte[] bytes) {
    int cost = bytes.length;
    for (byte b : bytes) {
      cost += b == 0 ? 1 : 0;
    }
    return cost;
  }

  private static String hex(String json) throws JsonProcessingException {
    return hex(JSON.readTree(json));
  }

  private static String hex(JsonNode value) {
    return HexFormat.of().formatHex(ValueEncoding.encode(value, false, 1600));
  }
}
