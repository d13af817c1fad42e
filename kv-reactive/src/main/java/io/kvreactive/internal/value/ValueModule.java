package io.kvreactive.internal.value;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.DateDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.datatype.jsr310.deser.InstantDeserializer;
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
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
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
    addSerializer(JsonObject.class, new NaturalSerializer<>(JsonTrees::naturalOf));
    addSerializer(JsonArray.class, new NaturalSerializer<>(JsonTrees::naturalOf));
    addSerializer(Buffer.class, new NaturalSerializer<>(Buffer::getBytes));

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

  /** A serializer that passes a value to the encoder, unchanged or converted to a natural value. */
  private static final class NaturalSerializer<T> extends JsonSerializer<T> {
    private final Function<T, @Nullable Object> natural;

    NaturalSerializer(Function<T, @Nullable Object> natural) {
      this.natural = natural;
    }

    @Override
    public void serialize(T value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeEmbeddedObject(natural.apply(value));
    }

    @Override
    public void serializeWithType(
        T value, JsonGenerator out, SerializerProvider provider, TypeSerializer type)
        throws IOException {
      serialize(value, out, provider);
    }
  }

  /**
   * A deserializer of properties that are natural values, such as dates. Other tokens are passed to
   * the default deserializer of the type, if there is one.
   */
  private static final class EmbeddedDeserializer<N, T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1L;

    private final Class<N> natural;
    private final transient Function<N, T> conversion;
    private final @Nullable JsonDeserializer<T> usual;

    EmbeddedDeserializer(
        Class<T> type,
        Class<N> natural,
        Function<N, T> conversion,
        @Nullable JsonDeserializer<T> usual) {
      super(type);
      this.natural = natural;
      this.conversion = conversion;
      this.usual = usual;
    }

    @Override
    @SuppressWarnings("unchecked") // a problem handler returns a value of this type
    public @Nullable T deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      if (in.currentToken() == JsonToken.VALUE_EMBEDDED_OBJECT
          && natural.isInstance(in.getEmbeddedObject())) {
        return conversion.apply(natural.cast(in.getEmbeddedObject()));
      }
      if (usual != null && in.currentToken() != JsonToken.VALUE_EMBEDDED_OBJECT) {
        return usual.deserialize(in, context);
      }
      return (T) context.handleUnexpectedToken(handledType(), in);
    }
  }

  /**
   * A deserializer of numbers without loss: from int32, double and bigint to the Java type of a
   * property.
   */
  private static final class NumberDeserializer<T> extends StdScalarDeserializer<T> {
    private static final long serialVersionUID = 1L;

    private final Class<T> type;
    private final @Nullable T whenNull;

    NumberDeserializer(Class<T> type, @Nullable T whenNull) {
      super(type);
      this.type = type;
      this.whenNull = whenNull;
    }

    @Override
    public @Nullable T deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      JsonToken token = in.currentToken();
      if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
        T number = Scalars.number(in.getNumberValue(), type);
        if (number != null) {
          return number;
        }
        context.reportInputMismatch(type, "%s does not fit", in.getNumberValue());
      }
      @SuppressWarnings("unchecked") // a problem handler returns a value of this type
      T replaced = (T) context.handleUnexpectedToken(type, in);
      return replaced;
    }

    @Override
    public @Nullable T getNullValue(DeserializationContext context) {
      return whenNull;
    }
  }

  /** A deserializer of strings from strings only: a number or bytes are a mismatch. */
  private static final class StringDeserializer extends StdScalarDeserializer<String> {
    private static final long serialVersionUID = 1L;

    StringDeserializer() {
      super(String.class);
    }

    @Override
    public @Nullable String deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      return in.currentToken() == JsonToken.VALUE_STRING
          ? in.getText()
          : (String) context.handleUnexpectedToken(String.class, in);
    }
  }
}
