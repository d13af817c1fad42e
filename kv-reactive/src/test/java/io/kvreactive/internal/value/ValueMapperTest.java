package io.kvreactive.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kvreactive.KvErrorCode;
import io.kvreactive.KvException;
import io.kvreactive.KvU64;
import io.kvreactive.KvValue;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSet;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ValueMapperTest {
  enum Color {
    RED,
    GREEN
  }

  record Address(String street, int number) {}

  record Person(
      String name,
      int age,
      long id,
      BigInteger balance,
      double score,
      boolean active,
      Instant born,
      byte[] photo,
      Optional<String> nick,
      Color color,
      LocalDate joined,
      Duration shift,
      UUID uuid,
      List<Address> addresses,
      Map<String, Instant> seen,
      Set<String> tags,
      JsRegExp pattern,
      Date legacy,
      KvU64 counter,
      Object anything) {}

  public static class Bean {
    private String name = "unset";
    private long count = 7;
    private Bean next;

    public String getName() {
      return name;
    }

    public void setName(String name) {
      this.name = name;
    }

    public long getCount() {
      return count;
    }

    public void setCount(long count) {
      this.count = count;
    }

    public Bean getNext() {
      return next;
    }

    public void setNext(Bean next) {
      this.next = next;
    }
  }

  record Moment(OffsetDateTime at) {}

  record Boxes(Integer i, Long l, Double d, BigInteger b, String s, Boolean f) {}

  private final ValueMapper values = new ValueMapper();

  private static Person person() {
    return new Person(
        "Ada",
        36,
        1L << 40,
        BigInteger.TWO.pow(100),
        1.0,
        true,
        Instant.ofEpochMilli(1234),
        new byte[] {1, 2, 3},
        Optional.of("Countess"),
        Color.GREEN,
        LocalDate.of(2026, 11, 20),
        Duration.ofMinutes(90),
        new UUID(1, 2),
        List.of(new Address("Main", 1), new Address("Side", 2)),
        Map.of("web", Instant.ofEpochMilli(99)),
        Set.of("x"),
        new JsRegExp("a+", JsRegExp.GLOBAL),
        new Date(5),
        KvU64.of(9),
        List.of(1, "two"));
  }

  @Test
  void encodesARecordAsJavaScriptTypes() {
    Map<?, ?> object = (Map<?, ?>) values.decode(values.encode(person()), Object.class);

    assertThat(object.get("age")).isEqualTo(36);
    assertThat(object.get("id")).isEqualTo(BigInteger.ONE.shiftLeft(40));
    assertThat(object.get("balance")).isEqualTo(BigInteger.TWO.pow(100));
    assertThat(object.get("score")).isEqualTo(1.0);
    assertThat(object.get("born")).isEqualTo(new JsDate(1234));
    assertThat(object.get("photo")).isEqualTo(new byte[] {1, 2, 3});
    assertThat(object.get("nick")).isEqualTo("Countess");
    assertThat(object.get("color")).isEqualTo("GREEN");
    assertThat(object.get("joined")).isEqualTo("2026-11-20");
    assertThat(object.get("shift")).isEqualTo("PT1H30M");
    assertThat(object.get("uuid")).isEqualTo(new UUID(1, 2).toString());
    assertThat(object.get("seen")).isEqualTo(Map.of("web", new JsDate(99)));
    assertThat(object.get("tags")).isInstanceOf(JsSet.class).isEqualTo(Set.of("x"));
    assertThat(object.get("pattern")).isEqualTo(new JsRegExp("a+", JsRegExp.GLOBAL));
    assertThat(object.get("legacy")).isEqualTo(new JsDate(5));
    assertThat(object.get("counter")).isEqualTo(BigInteger.valueOf(9));
  }

  @Test
  void roundTripsARecord() {
    Person person = person();
    Person back = values.decode(values.encode(person), Person.class);
    assertThat(back).usingRecursiveComparison().isEqualTo(person);
  }

  record Point(int x, @Nullable Integer y) {}

  @Test
  void rejectsATypeWithNoneOfTheProperties() {
    ValueMapper values = new ValueMapper();
    KvValue address = values.encode(new Address("Main Street", 7));
    assertThatThrownBy(() -> values.decode(address, Point.class))
        .isInstanceOfSatisfying(
            KvException.class,
            e -> {
              assertThat(e.code()).isEqualTo(KvErrorCode.UNREADABLE_VALUE);
              assertThat(e.detail()).contains("Point", "none of its properties");
            });
    Point partly = values.decode(values.encode(Map.of("x", 1, "z", 2)), Point.class);
    assertThat(partly).isEqualTo(new Point(1, null));
    assertThat(values.decode(values.encode(Map.of()), Point.class)).isEqualTo(new Point(0, null));
    assertThat(values.decode(values.encode(Map.of("a", Map.of("b", 1))), Map.class)).hasSize(1);
    // parts may have other properties
    KvValue nested = values.encode(List.of(new Address("Main Street", 7)));
    assertThat((List<?>) values.decode(nested, new TypeReference<List<Point>>() {}.getType()))
        .hasSize(1);
  }

  @Test
  void ignoresUnknownPropertiesAndUndefined() {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("name", JsUndefined.UNDEFINED);
    object.put("more", List.of(1));
    object.put("count", 3);
    Bean bean = values.decode(values.encode(object), Bean.class);
    assertThat(bean.getName()).isEqualTo("unset");
    assertThat(bean.getCount()).isEqualTo(3);
    assertThat(bean.getNext()).isNull();
  }

  @Test
  void readsNullAndUndefinedAsNull() {
    for (Object nothing : new Object[] {null, JsUndefined.UNDEFINED}) {
      KvValue value = values.encode(nothing);
      assertThat(values.decode(value, Bean.class)).isNull();
      assertThat(values.decode(value, String.class)).isNull();
      assertThat(values.decode(value, Integer.class)).isNull();
      assertThat(values.decode(value, (java.lang.reflect.Type) List.class)).isNull();
      assertThat(values.decode(value, Object.class)).isSameAs(nothing);
    }
    Boxes boxes = values.decode(values.encode(Map.of()), Boxes.class);
    assertThat(boxes).isEqualTo(new Boxes(null, null, null, null, null, null));
  }

  @Test
  void encodesScalarsByTheirJavaType() {
    assertThat(natural(5)).isEqualTo(5);
    assertThat(natural((short) 5)).isEqualTo(5);
    assertThat(natural((byte) -5)).isEqualTo(-5);
    assertThat(natural(5L)).isEqualTo(BigInteger.valueOf(5));
    assertThat(natural(Long.MIN_VALUE)).isEqualTo(BigInteger.valueOf(Long.MIN_VALUE));
    assertThat(natural(5.0)).isEqualTo(5.0);
    assertThat(natural(0.5f)).isEqualTo(0.5);
    assertThat(natural('x')).isEqualTo("x");
    assertThat(natural(new StringBuilder("sb"))).isEqualTo("sb");
    assertThat(natural(Instant.ofEpochSecond(1))).isEqualTo(new JsDate(1000));
    assertThat(natural(new Date(7))).isEqualTo(new JsDate(7));
    assertThat(natural(Set.of(1))).isInstanceOf(JsSet.class);
    assertThat(natural(new int[] {1, 2})).isEqualTo(List.of(1, 2));
    assertThat(natural(new String[] {"a", null})).isEqualTo(Arrays.asList("a", null));
    assertThat(natural(Color.RED)).isEqualTo("RED");
    assertThat(natural(Optional.of(1))).isEqualTo(1);
    assertThat(natural(List.of(new Address("s", 1), Map.of("k", KvU64.of(2)))))
        .isEqualTo(List.of(Map.of("street", "s", "number", 1), Map.of("k", BigInteger.TWO)));
  }

  @Test
  void supportsThreeEncodings() {
    assertThat(values.encode(new byte[] {1}).encoding()).isEqualTo(KvValue.Encoding.BYTES);
    assertThat(values.encode(KvU64.of(258)).bytes()).isEqualTo(new byte[] {2, 1, 0, 0, 0, 0, 0, 0});
    assertThat(values.decode(values.encode(KvU64.of(258)), Object.class)).isEqualTo(KvU64.of(258));
    assertThat(values.decode(values.encode(KvU64.of(258)), Long.class)).isEqualTo(258L);
    assertThat(values.decode(values.encode(new byte[] {1}), byte[].class))
        .isEqualTo(new byte[] {1});
    KvValue raw = values.encode("x");
    assertThat(values.encode(raw)).isSameAs(raw);
    assertThat(values.decode(raw, KvValue.class)).isSameAs(raw);
  }

  @Test
  void readsNumbersInEveryTypeThatFits() {
    for (Object five : new Object[] {5, 5.0, 5L}) {
      KvValue value = values.encode(five);
      assertThat(values.decode(value, Integer.class)).isEqualTo(5);
      assertThat(values.decode(value, int.class)).isEqualTo(5);
      assertThat(values.decode(value, Long.class)).isEqualTo(5L);
      assertThat(values.decode(value, Double.class)).isEqualTo(5.0);
      assertThat(values.decode(value, BigInteger.class)).isEqualTo(BigInteger.valueOf(5));
      Boxes boxes =
          values.decode(
              values.encode(Map.of("i", five, "l", five, "d", five, "b", five)), Boxes.class);
      assertThat(boxes).isEqualTo(new Boxes(5, 5L, 5.0, BigInteger.valueOf(5), null, null));
    }
    assertUnfit(5.5, Integer.class, "number 5.5 does not fit java.lang.Integer");
    assertUnfit(1L << 40, Integer.class, "bigint 1099511627776");
    assertUnfit(1e300, Long.class, "1.0E300");
    assertUnfit(Double.NaN, Long.class, "NaN");
    assertUnfit((1L << 53) + 1, Double.class, "9007199254740993");
    assertUnfit(Map.of("i", 5.5), Boxes.class, "5.5");
    assertUnfit(Map.of("i", 1e300), Boxes.class, "1.0E300");
  }

  @Test
  void reportsTheFoundTypeWhenItDoesNotFit() {
    assertUnfit("text", Integer.class, "string \"text\" does not fit java.lang.Integer");
    assertUnfit(5, String.class, "number 5 does not fit java.lang.String");
    assertUnfit(List.of(), String.class, "array of 0");
    assertUnfit(Map.of("a", 1), Boolean.class, "object of 1 property");
    assertUnfit(new JsDate(Double.NaN), Instant.class, "Date Invalid Date");
    assertUnfit("text", Person.class, "string \"text\"");
    assertUnfit(Map.of("s", 5), Boxes.class, "String");
    assertUnfit(Map.of("s", new byte[1]), Boxes.class, "String");
    assertUnfit(Map.of("f", "true"), Boxes.class, "oolean");
    assertUnfit(Map.of("f", 1), Boxes.class, "oolean");
    assertUnfit(Map.of("i", "5"), Boxes.class, "nteger");
    assertUnfit(Map.of("color", "BLUE"), Person.class, "BLUE");
    assertUnfit(Map.of("joined", new JsDate(0)), Person.class, "object of 1");
    assertUnfit(Map.of("counter", -1L), Person.class, "-1");
  }

  @Test
  void readsDatesAsAnyTemporalType() {
    KvValue date = values.encode(new JsDate(1500));
    assertThat(values.decode(date, Instant.class)).isEqualTo(Instant.ofEpochMilli(1500));
    assertThat(values.decode(date, Date.class)).isEqualTo(new Date(1500));
    KvValue moment = values.encode(Map.of("at", new JsDate(0)));
    assertThat(values.decode(moment, Moment.class).at())
        .isEqualTo(OffsetDateTime.parse("1970-01-01T00:00Z"));
    Moment written = new Moment(OffsetDateTime.parse("2026-11-20T10:00+01:00"));
    assertThat(natural(written)).isEqualTo(Map.of("at", "2026-11-20T10:00:00+01:00"));
    assertThat(values.decode(values.encode(written), Moment.class)).isEqualTo(written);
  }

  @Test
  void readsGenericTypes() {
    KvValue list = values.encode(List.of(new Address("a", 1), new Address("b", 2)));
    Object read = values.decode(list, new TypeReference<List<Address>>() {}.getType());
    assertThat(read).isEqualTo(List.of(new Address("a", 1), new Address("b", 2)));
    KvValue map = values.encode(new JsMap(Map.of("k", 5L)));
    assertThat(values.decode(map, new TypeReference<Map<String, Long>>() {}.getType()))
        .isEqualTo(Map.of("k", 5L));
    KvValue set = values.encode(Set.of(1));
    assertThat(values.decode(set, new TypeReference<Set<Long>>() {}.getType()))
        .isEqualTo(Set.of(1L));
    assertThat((Object) values.decode(set, List.class)).isEqualTo(List.of(1));
  }

  @Test
  void keepsJavaScriptNumbersInJsonTrees() throws Exception {
    ObjectMapper json = new ObjectMapper();
    JsonNode tree =
        json.readTree(
            "{\"i\":1,\"big\":5000000000,\"exact\":9007199254740993,\"d\":1.5,\"n\":null,\"a\":[true,\"x\"]}");
    Map<?, ?> object = (Map<?, ?>) natural(tree);
    assertThat(object.get("i")).isEqualTo(1);
    assertThat(object.get("big")).isEqualTo(5e9);
    assertThat(object.get("exact")).isEqualTo(new BigInteger("9007199254740993"));
    assertThat(object.get("d")).isEqualTo(1.5);
    assertThat(object.get("a")).isEqualTo(List.of(true, "x"));

    Map<String, Object> rich = new LinkedHashMap<>();
    rich.put("at", new JsDate(0));
    rich.put("bytes", new byte[] {1});
    rich.put("big", 5L);
    rich.put("gone", JsUndefined.UNDEFINED);
    JsonNode node = values.decode(values.encode(rich), JsonNode.class);
    assertThat(node.toString())
        .isEqualTo("{\"at\":\"1970-01-01T00:00:00Z\",\"bytes\":\"AQ==\",\"big\":5}");
    assertThat(((Map<?, ?>) natural(node)).get("big")).isEqualTo(BigInteger.valueOf(5));
  }

  @Test
  void encodesASharedBeanAsOneObject() {
    Address address = new Address("s", 1);
    List<?> list = (List<?>) natural(List.of(address, address, Color.RED, Color.RED));
    assertThat(list.get(0)).isSameAs(list.get(1)).isEqualTo(Map.of("street", "s", "number", 1));
    assertThat(list.subList(2, 4)).isEqualTo(List.of("RED", "RED"));
  }

  @Test
  void rejectsUnsupportedTypes() {
    assertRefused(new BigDecimal("1.5"), "doubleValue()");
    assertRefused(List.of(new BigDecimal("1.5")), "BigDecimal 1.5");
    assertRefused(Map.of(1, 2), "JsMap");
    assertRefused(JsHole.HOLE, "hole");
    assertRefused(new JsSet(List.of(JsHole.HOLE)), "hole");
    assertRefused(Instant.MAX, "out of the range");
    record Price(BigDecimal amount) {}
    assertRefused(new Price(BigDecimal.ONE), "doubleValue()");
    Bean cyclic = new Bean();
    cyclic.setNext(cyclic);
    assertRefused(cyclic, "value at /next: Direct self-reference");
  }

  @Test
  void keepsTheKindOfValuesInsideBeans() {
    record Holder(JsTypedArray view, JsMap map, Object date, JsonNode json) {}
    JsMap map = new JsMap();
    map.put(1, "one");
    Holder holder =
        new Holder(JsTypedArray.of(1.5), map, Instant.EPOCH, new ObjectMapper().valueToTree(5));
    Map<?, ?> object = (Map<?, ?>) natural(holder);
    assertThat(((JsTypedArray) object.get("view")).byteBuffer().getDouble(0)).isEqualTo(1.5);
    assertThat(((JsMap) object.get("map")).get(1.0)).isEqualTo("one");
    assertThat(object.get("date")).isEqualTo(new JsDate(0));
    assertThat(object.get("json")).isEqualTo(5);
    assertThat(values.decode(values.encode(holder), Holder.class).view().byteLength()).isEqualTo(8);
  }

  private Object natural(Object value) {
    return values.decode(values.encode(value), Object.class);
  }

  private void assertUnfit(Object stored, Class<?> type, String message) {
    KvValue value = values.encode(stored);
    assertThatThrownBy(() -> values.decode(value, type))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.UNREADABLE_VALUE))
        .hasMessageContaining(message);
  }

  private void assertRefused(Object value, String message) {
    assertThatThrownBy(() -> values.encode(value))
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.code()).isEqualTo(KvErrorCode.INVALID_VALUE))
        .hasMessageContaining(message);
  }
}
