package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.DateDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdDelegatingDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.util.StdConverter;
import com.fasterxml.jackson.datatype.jsr310.deser.InstantDeserializer;
import io.kvreactive.KvU64;
import io.kvreactive.value.JsArrayBuffer;
import io.kvreactive.value.JsBoxed;
import io.kvreactive.value.JsDate;
import io.kvreactive.value.JsError;
import io.kvreactive.value.JsHole;
import io.kvreactive.value.JsHostObject;
import io.kvreactive.value.JsMap;
import io.kvreactive.value.JsRegExp;
import io.kvreactive.value.JsSparseArray;
import io.kvreactive.value.JsTypedArray;
import io.kvreactive.value.JsUndefined;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A Jackson module for what values contain beyond JSON: dates, bytes, bigints and the types of
 * {@code io.kvreactive.value} as properties of records and beans.
 */
final class ValueModule extends SimpleModule {
  private static final long serialVersionUID = 1L;

  ValueModule() {
    super("kv-reactive values");
    asItIs(Instant.class);
    asItIs(Date.class);
    asItIs(JsUndefined.class);
    asItIs(JsHole.class);
    asItIs(JsMap.class);
    asItIs(JsSparseArray.class);
    natural(JsDate.class);
    natural(JsRegExp.class);
    natural(JsError.class);
    natural(JsBoxed.class);
    natural(JsArrayBuffer.class);
    natural(JsTypedArray.class);
    natural(JsHostObject.class);
    addDeserializer(
        JsMap.class,
        new EmbeddedDeserializer<>(JsMap.class, JsMap.class, map -> map, new NamedEntries()));
    addSerializer(JsonNode.class, new NaturalSerializer<>(JsonTrees::naturalOf));
    addSerializer(KvU64.class, new NaturalSerializer<>(KvU64::value));
    addDeserializer(KvU64.class, new StdDelegatingDeserializer<>(new ToU64()));

    date(Instant.class, instant -> instant, InstantDeserializer.INSTANT);
    date(
        OffsetDateTime.class,
        instant -> instant.atOffset(ZoneOffset.UTC),
        InstantDeserializer.OFFSET_DATE_TIME);
    date(
        ZonedDateTime.class,
        instant -> instant.atZone(ZoneOffset.UTC),
        InstantDeserializer.ZONED_DATE_TIME);
    date(Date.class, Date::from, new DateDeserializers.DateDeserializer());

    number(Integer.class, null);
    number(int.class, 0);
    number(Long.class, null);
    number(long.class, 0L);
    number(Double.class, null);
    number(double.class, 0.0);
    number(BigInteger.class, null);
    addDeserializer(String.class, new StringDeserializer());
  }

  private <T> void asItIs(Class<T> type) {
    addSerializer(type, new NaturalSerializer<>(value -> value));
  }

  private <T> void natural(Class<T> type) {
    asItIs(type);
    addDeserializer(type, new EmbeddedDeserializer<>(type, type, value -> value, null));
  }

  private <T> void date(Class<T> type, Function<Instant, T> of, JsonDeserializer<T> usual) {
    addDeserializer(
        type,
        new EmbeddedDeserializer<>(type, JsDate.class, date -> of.apply(date.instant()), usual));
  }

  private <T> void number(Class<T> type, @Nullable T whenNull) {
    addDeserializer(type, new NumberDeserializer<>(type, whenNull));
  }

  /** Reads a JavaScript Map with only string keys, which arrives as an object. */
  private static final class NamedEntries extends JsonDeserializer<JsMap> {
    @Override
    public JsMap deserialize(JsonParser in, DeserializationContext context) throws IOException {
      return new JsMap(context.readValue(in, LinkedHashMap.class));
    }
  }

  private static final class ToU64 extends StdConverter<BigInteger, KvU64> {
    @Override
    public KvU64 convert(BigInteger value) {
      return KvU64.of(value);
    }
  }
}
